package gguf

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tools/internal/terminal"
)

// bins is the number of bars of a histogram.
const bins = 20

// distribution is what --stats tells of the finite values; those that are not are counted.
type distribution struct {
	Tensor   string    `json:"tensor"`
	Type     string    `json:"type"`
	Values   int       `json:"values"`
	Min      number64  `json:"min"`
	Max      number64  `json:"max"`
	Mean     number64  `json:"mean"`
	Std      number64  `json:"std"` // of the population
	RMS      number64  `json:"rms"`
	Zeros    int       `json:"zeros"`
	NaN      int       `json:"nan"`
	Inf      int       `json:"inf"`
	Count    [bins]int `json:"histogram"` // of equal steps from min to max
	finite   int
	sum, sqr float64
}

func (d *dumper) writeStats(ctx context.Context, w *bufio.Writer) error {
	s := &distribution{Tensor: d.t.Name, Type: d.t.Type.String(), Min: number64(math.Inf(1)), Max: number64(math.Inf(-1))}
	if err := d.each(ctx, func(_ int, values []float32) error { s.add(values); return nil }); err != nil {
		return err
	}
	s.finish()
	if err := d.each(ctx, func(_ int, values []float32) error { s.sort(values); return nil }); err != nil {
		return err
	}
	if d.json {
		return asjson.Write(w, s)
	}
	s.print(w, terminal.Width(d.out))
	return nil
}

// add counts values, the first time they pass.
func (s *distribution) add(values []float32) {
	s.Values += len(values)
	for _, v := range values {
		x := float64(v)
		switch {
		case math.IsNaN(x):
			s.NaN++
			continue
		case math.IsInf(x, 0):
			s.Inf++
			continue
		case x == 0:
			s.Zeros++
		}
		s.Min, s.Max = min(s.Min, number64(x)), max(s.Max, number64(x))
		s.finite++
		s.sum, s.sqr = s.sum+x, s.sqr+x*x
	}
}

func (s *distribution) finish() {
	if s.finite == 0 {
		s.Min, s.Max = 0, 0
		return
	}
	mean, square := s.sum/float64(s.finite), s.sqr/float64(s.finite)
	s.Mean, s.RMS = number64(mean), number64(math.Sqrt(square))
	s.Std = number64(math.Sqrt(max(0, square-mean*mean)))
}

// sort puts values into bins, the second time they pass.
func (s *distribution) sort(values []float32) {
	low, width := float64(s.Min), (float64(s.Max)-float64(s.Min))/bins
	for _, v := range values {
		x := float64(v)
		switch {
		case math.IsNaN(x) || math.IsInf(x, 0):
		case width == 0:
			s.Count[0]++
		default:
			s.Count[min(bins-1, int((x-low)/width))]++
		}
	}
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
	step := (float64(s.Max) - float64(s.Min)) / bins
	for i, n := range s.Count {
		if step == 0 && i > 0 {
			break
		}
		bar := strings.Repeat("█", n*room/most)
		if n > 0 && bar == "" {
			bar = "▏"
		}
		fmt.Fprintf(w, "%13s  %*d %s\n", fmt.Sprintf("%.5g", float64(s.Min)+step*float64(i)), digits, n, bar)
	}
}
