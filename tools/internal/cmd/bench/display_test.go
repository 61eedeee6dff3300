package bench

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/llamakit/llamakit/bench"
)

func TestStatus(t *testing.T) {
	var out bytes.Buffer
	width := 70
	d := &display{w: &out, width: func() int { return width }}
	p := bench.Params{Prompt: 100}
	d.watch(bench.Step{Row: 1, Rows: 2, Params: p, Stage: bench.Running, Repetition: 4, Of: 5, Samples: []time.Duration{time.Second, 2 * time.Second, time.Second}})
	if want := "\r\x1b[K[1/2] pp100 run 4/5  █▁█  83.33 ± 28.87 t/s"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	out.Reset()
	width = 12 // the window is made narrower
	d.watch(bench.Step{Row: 1, Rows: 2, Params: p, Stage: bench.Warming})
	if want := "\r\x1b[K[1/2] pp100"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	d.clear()
	if !strings.HasSuffix(out.String(), "\r\x1b[K") {
		t.Errorf("%q", out.String())
	}
}

// TestBars: each bar has its value; prompts and answers have a scale of their own.
func TestBars(t *testing.T) {
	rows := []*bench.Result{
		{Params: bench.Params{Prompt: 100}, Samples: []time.Duration{time.Second}},
		{Params: bench.Params{Prompt: 100, Depth: 10}, Samples: []time.Duration{2 * time.Second}},
		{Params: bench.Params{Gen: 10}, Samples: []time.Duration{time.Second}},
	}
	want := "      pp100 ████████████████████ 100.0\npp100 @ d10 ██████████ 50.0\n       tg10 ████████████████████ 10.0\n"
	if got := bars(rows, 43); got != want {
		t.Errorf("\n%s, want\n%s", got, want)
	}
}
