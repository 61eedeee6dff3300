package perplexity

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/progress"
	"github.com/llamakit/llamakit/tools/internal/score"
	"github.com/llamakit/llamakit/tools/internal/terminal"
)

// display shows how far a measure is. On a terminal that is a bar with the running estimate and the time left; the estimates
// of single steps are printed where no terminal, but a file or a pipe, takes the results.
type display struct {
	out     io.Writer
	steps   bool
	printed bool
	err     error // of the first print that went wrong
	bar     *progressbar.ProgressBar
	begin   time.Time
}

func (o *options) newDisplay(steps int, what string) *display {
	bar := progress.Steps(o.stderr, steps, what)
	_ = bar.RenderBlank()
	return &display{out: o.stdout, steps: !o.json && !(terminal.Draws(o.stdout) && terminal.Draws(o.stderr)), bar: bar, begin: time.Now()}
}

// printf prints a step's part of the running results.
func (d *display) printf(format string, args ...any) {
	if d.steps && d.err == nil {
		d.printed = true
		_, d.err = fmt.Fprintf(d.out, format, args...)
	}
}

// advance moves the bar; estimate is what is known by now. It returns the error of a result that could not be printed.
func (d *display) advance(steps int, estimate string) error {
	d.bar.Describe(estimate)
	_ = d.bar.Add(steps)
	return d.err
}

// end takes the bar away, and ends the running results.
func (d *display) end() {
	_ = d.bar.Clear()
	if d.printed {
		d.printf("\n")
	}
}

func (d *display) seconds() float64 { return time.Since(d.begin).Seconds() }

// note prints a line for people.
func (o *options) note(format string, args ...any) {
	fmt.Fprintln(o.stderr, "note:", gguf.Printable(fmt.Sprintf(format, args...)))
}

// pplText is an estimate as llama.cpp prints it.
func pplText(e score.Estimate) string { return fmt.Sprintf("PPL = %.4f +/- %.5f", e.Value, e.Error) }
