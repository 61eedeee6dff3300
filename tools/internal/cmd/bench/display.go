package bench

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/llamakit/llamakit/bench"
	"github.com/llamakit/llamakit/tools/internal/terminal"
	"github.com/llamakit/llamakit/tui/printable"
)

// display shows what is being done: a line that is written over on a terminal, a line a step with --progress, and nothing
// elsewhere.
type display struct {
	w     io.Writer
	width func() int // of the terminal, whose size may change; nil: there is none
	lines bool
	begin time.Time // of the first row
}

func newDisplay(stderr io.Writer, lines bool) *display {
	d := &display{w: stderr, lines: lines}
	if !lines && terminal.Draws(stderr) {
		d.width = func() int { return terminal.Width(stderr) }
	}
	return d
}

// watch shows a step.
func (d *display) watch(s bench.Step) {
	if d.begin.IsZero() {
		d.begin = time.Now()
	}
	switch {
	case d.lines:
		fmt.Fprintf(d.w, "llama-bench: benchmark %d/%d: %s\n", s.Row, s.Rows, stageText(s))
	case d.width != nil && s.Stage != bench.Finished:
		d.say(d.status(s))
	}
}

func stageText(s bench.Step) string {
	if s.Stage == bench.Running || s.Stage == bench.RunPeer {
		return fmt.Sprintf("%s %s %d/%d", s.Params.Test(), s.Stage, s.Repetition, s.Of)
	}
	return string(s.Stage)
}

// status is the row at work: its samples so far, drawn and as a mean.
func (d *display) status(s bench.Step) string {
	text := fmt.Sprintf("[%d/%d] %s %s", s.Row, s.Rows, s.Params.Test(), s.Stage)
	if s.Stage == bench.Running || s.Stage == bench.RunPeer {
		text += fmt.Sprintf(" %d/%d", s.Repetition, s.Of)
	}
	r := bench.Result{Params: s.Params, Samples: s.Samples}
	if len(s.Samples) > 0 {
		average, deviation := r.Speed()
		text += fmt.Sprintf("  %s  %.2f ± %.2f t/s", spark(r.Speeds()), average, deviation)
	}
	if s.Row > 1 {
		left := time.Since(d.begin) / time.Duration(s.Row-1) * time.Duration(s.Rows-s.Row+1)
		text += fmt.Sprintf("  about %s left", left.Round(time.Second))
	}
	return text
}

// say replaces the line on a terminal.
func (d *display) say(text string) {
	if d.width != nil {
		fmt.Fprintf(d.w, "\r\x1b[K%s", cut(printable.Line(text), d.width()-1))
	}
}

// clear takes the line away.
func (d *display) clear() { d.say("") }

// cut shortens a text of narrow characters.
func cut(s string, width int) string {
	if r := []rune(s); len(r) > width {
		return string(r[:max(width, 0)])
	}
	return s
}

var blocks = []rune("▁▂▃▄▅▆▇█")

// spark draws values between their smallest and their largest.
func spark(x []float64) string {
	low, high := x[0], x[0]
	for _, v := range x {
		low, high = min(low, v), max(high, v)
	}
	var b strings.Builder
	for _, v := range x {
		level := len(blocks) - 1
		if high > low {
			level = int((v - low) / (high - low) * float64(len(blocks)-1))
		}
		b.WriteRune(blocks[level])
	}
	return b.String()
}
