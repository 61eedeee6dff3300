package embed

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/llamakit/llamakit/tools/internal/table"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/printable"
)

// text is for people: the vectors, or of a reranker the scores, and a table of cosines.
type text struct {
	w      io.Writer
	labels []string // of a reranker's scores
	n      int
	cosines
}

func (t *text) vector(text string, v []float32) error {
	t.cosines.add(text, v)
	kind, values := "embedding", make([]string, len(v))
	for i, x := range v {
		values[i] = fmt.Sprintf("%9.6f", x)
		if t.labels != nil {
			kind, values[i] = "score", strings.TrimSpace(t.labels[i]+" "+strings.TrimSpace(values[i]))
		}
	}
	_, err := fmt.Fprintf(t.w, "%s %d: %s\n", kind, t.n, strings.Join(values, " "))
	t.n++
	return err
}

// mostCosines bounds the table that people are shown.
const mostCosines = 50

func (t *text) end() error {
	if !t.wanted || t.n < 2 {
		return nil
	}
	if t.n > mostCosines {
		_, err := fmt.Fprintf(t.w, "\n%d texts: too many for a table of cosines; --embd-output-format json+ has all\n", t.n)
		return err
	}
	if _, err := io.WriteString(t.w, "\ncosine similarity:\n\n"); err != nil {
		return err
	}
	columns, rows := []table.Column{table.Left("")}, make([][]string, t.n)
	for i := range t.n {
		columns = append(columns, table.Right(fmt.Sprint(i)))
		rows[i] = []string{fmt.Sprintf("%d  %s", i, cells.Truncate(printable.Line(t.texts[i]), 30))}
		for _, x := range t.row(i) {
			rows[i] = append(rows[i], fmt.Sprintf("%.3f", x))
		}
	}
	return table.Write(t.w, false, columns, rows)
}

// cosines compares all vectors with one another.
type cosines struct {
	wanted  bool
	texts   []string
	vectors [][]float32
}

func (c *cosines) add(text string, v []float32) {
	if c.wanted {
		c.texts, c.vectors = append(c.texts, text), append(c.vectors, v)
	}
}

// row are the cosines of the i-th vector with each. That of a vector of zeros with another is 0, and 1 with such a one.
func (c *cosines) row(i int) []float32 {
	out := make([]float32, len(c.vectors))
	for j, v := range c.vectors {
		out[j] = cosine(c.vectors[i], v)
	}
	return out
}

func cosine(a, b []float32) float32 {
	var dot, aa, bb float64
	for i, x := range a {
		dot += float64(x) * float64(b[i])
		aa += float64(x) * float64(x)
		bb += float64(b[i]) * float64(b[i])
	}
	switch {
	case aa == 0 && bb == 0:
		return 1
	case aa == 0 || bb == 0:
		return 0
	}
	return float32(dot / math.Sqrt(aa*bb))
}
