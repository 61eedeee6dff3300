package imatrix

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/imatrix"
)

// showStatistics prints llama-imatrix's two tables, of tensors and of layers, and what is missing.
func (o *options) showStatistics() error {
	m, err := o.sumInputs(0)
	if err != nil {
		return err
	}
	all := m.Statistics()
	w := bufio.NewWriter(o.stdout)
	name := gguf.Printable(strings.Join(o.inputs, ", "))
	fmt.Fprintf(w, "\nTensors of %s (%d, from %d chunks)\n\n", name, len(all), m.Chunks)
	fmt.Fprintf(w, "%6s | %-40s | %10s%10s%12s%12s%9s | %14s%8s | %12s%10s%10s\n",
		"Layer", "Tensor", "Mean", "StdDev", "Skew", "Kurt", "H Norm", "∑ E[A²]", "Gain", "L2 Dist", "PCC", "Cov")
	fmt.Fprintln(w, strings.Repeat("-", 165))
	for i := range all {
		printTensor(w, &all[i])
	}
	layers := imatrix.Layers(all)
	fmt.Fprintf(w, "\nLayers of %s (%d)\n\n", name, len(layers))
	fmt.Fprintf(w, "%6s | %14s%8s | %12s%9s%9s%12s\n", "Layer", "∑ E[A²]", "Gain", "L2 Dist", "CosSim", "PCC", "Cov")
	fmt.Fprintln(w, strings.Repeat("-", 76))
	for i := range layers {
		l := &layers[i]
		fmt.Fprintf(w, "%6d | %14.4f%s | %s%s%s%s\n", l.Layer, l.SumSquares, cell(8, 2, l.Change.Gain()), cell(12, 4, l.Change.Distance()),
			cell(9, 4, l.Change.Cosine()), cell(9, 4, l.Change.Pearson()), cell(12, 4, l.Change.Covariance()))
	}
	for i, note := range lacks(m) {
		if i == 0 {
			fmt.Fprintln(w, "\nMissing")
		}
		fmt.Fprintln(w, " ", gguf.Printable(note))
	}
	return w.Flush()
}

func printTensor(w *bufio.Writer, s *imatrix.Statistics) {
	layer, c := "-", s.Change
	if s.Layer >= 0 {
		layer = fmt.Sprint(s.Layer)
	}
	if c == nil {
		c = &imatrix.Change{}
	}
	name := gguf.Printable(s.Name)
	if len(name) > 40 {
		name = ".." + name[len(name)-38:]
	}
	fmt.Fprintf(w, "%6s | %-40s | %10.4f%10.4f%12.4f%12.4f%s%% | %14.4f%s | %s%s%s\n", layer, name, s.Mean, s.StdDev, s.Skewness, s.Kurtosis,
		cell(8, 2, s.HNorm), s.SumSquares, cell(8, 2, c.Gain()), cell(12, 4, c.Distance()), cell(10, 4, c.Pearson()), cell(10, 4, c.Covariance()))
}

// cell formats a number that may not be known.
func cell(width, digits int, v float64) string {
	return strings.ToLower(fmt.Sprintf("%*.*f", width, digits, v))
}
