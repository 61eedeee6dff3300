package gguf

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tools/internal/terminal"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

// distribution is what --stats tells.
type distribution struct {
	Tensor string `json:"tensor"`
	Type   string `json:"type"`
	probe.Distribution
}

func (d *dumper) writeStats(ctx context.Context, w *bufio.Writer) error {
	s := &distribution{Tensor: d.t.Name, Type: d.t.Type.String()}
	if err := d.each(ctx, func(_ int, values []float32) error { s.Add(values); return nil }); err != nil {
		return err
	}
	s.Finish()
	if err := d.each(ctx, func(_ int, values []float32) error { s.Sort(values); return nil }); err != nil {
		return err
	}
	if d.json {
		return asjson.Write(w, s)
	}
	s.print(w, terminal.Width(d.out))
	return nil
}

func (s *distribution) print(w *bufio.Writer, width int) {
	fmt.Fprintf(w, " %s: %d values of %s\n", gguf.Printable(s.Tensor), s.Values, s.Type)
	fmt.Fprintf(w, " min %.6g, max %.6g, mean %.6g, std %.6g, rms %.6g\n", s.Min, s.Max, s.Mean, s.Std, s.RMS)
	fmt.Fprintf(w, " zeros %d, NaN %d, infinite %d\n\n", s.Zeros, s.NaN, s.Inf)
	if width == 0 {
		width = 80
	}
	most := 1
	for _, n := range s.Count {
		most = max(most, n)
	}
	digits := len(fmt.Sprint(most))
	room := max(10, width-15-digits-2)
	for i, n := range s.Count {
		if s.Step() == 0 && i > 0 {
			break
		}
		bar := strings.Repeat("█", n*room/most)
		if n > 0 && bar == "" {
			bar = "▏"
		}
		fmt.Fprintf(w, "%13s  %*d %s\n", fmt.Sprintf("%.5g", s.Min+s.Step()*float64(i)), digits, n, bar)
	}
}
