// Package progress shows how far a long job is, on terminals only.
package progress

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/llamakit/llamakit/tools/internal/terminal"
)

// Bytes returns a bar over bytes, with rate and time left. Add moves it, Clear takes it away.
func Bytes(w io.Writer, bytes int64, what string) *progressbar.ProgressBar {
	return bar(w, bytes, what, progressbar.OptionShowBytes(true))
}

// Steps returns a bar that counts steps, with the time left.
func Steps(w io.Writer, steps int, what string, more ...progressbar.Option) *progressbar.ProgressBar {
	return bar(w, int64(steps), what, append(more, progressbar.OptionShowCount())...)
}

func bar(w io.Writer, total int64, what string, more ...progressbar.Option) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total, append([]progressbar.Option{
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetVisibility(terminal.Draws(w)),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionFullWidth(),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionClearOnFinish(),
	}, more...)...)
}
