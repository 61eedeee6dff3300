package imatrix

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/llamakit/llamakit/tools/internal/progress"
	"github.com/llamakit/llamakit/tools/internal/score"
	"github.com/llamakit/llamakit/tools/internal/terminal"
)

// meter shows how far a run is: a bar with the estimate and the time left on a terminal, else a line now and then.
type meter struct {
	w            io.Writer
	bar          *progressbar.ProgressBar // nil: lines
	total, first int                      // chunks, and those that were done before
	every        int
	begin        time.Time
}

func newMeter(w io.Writer, total, first, every int) *meter {
	m := &meter{w: w, total: total, first: first, every: every, begin: time.Now()}
	if terminal.Draws(w) {
		m.bar = progress.Steps(w, total, "chunks", progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false))
		_ = m.bar.Set(first)
	}
	return m
}

// step tells that done chunks are done.
func (m *meter) step(done int, nll *score.Mean) {
	text := m.estimate(done)
	if nll.N > 0 {
		text = fmt.Sprintf("PPL %.4f, ", nll.Perplexity().Value) + text
	}
	switch {
	case m.bar != nil:
		m.bar.Describe(text)
		_ = m.bar.Set(done)
	case done == m.first+1 || done == m.total || done%m.every == 0:
		fmt.Fprintf(m.w, "chunk %d of %d: %s\n", done, m.total, text)
	}
}

// estimate is the time that is left.
func (m *meter) estimate(done int) string {
	each := time.Since(m.begin) / time.Duration(max(1, done-m.first))
	left := each * time.Duration(m.total-done)
	return left.Round(time.Second).String() + " left"
}

// note prints a line above the bar.
func (m *meter) note(format string, args ...any) {
	if m.bar != nil {
		_ = m.bar.Clear()
	}
	fmt.Fprintf(m.w, "note: "+format+"\n", args...)
}

func (m *meter) close() {
	if m.bar != nil {
		_ = m.bar.Clear()
	}
}
