// Package progress shows how far a long job is.
package progress

import (
	"io"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"
)

// Bar returns a bar over bytes, with rate and time left; it shows on terminals only. Add moves it, Clear takes it away.
func Bar(w io.Writer, bytes int64, what string) *progressbar.ProgressBar {
	f, ok := w.(*os.File)
	terminal := ok && isatty.IsTerminal(f.Fd())
	return progressbar.NewOptions64(bytes,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetVisibility(terminal),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(true),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionFullWidth(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}

// Count is Bar over a number of things instead of bytes.
func Count(w io.Writer, n int, what string) *progressbar.ProgressBar {
	bar := Bar(w, int64(n), what)
	progressbar.OptionShowBytes(false)(bar)
	return bar
}
