package imatrix

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/imatrix"
)

// collector turns what the engine observes into entries. A chunk's sums are taken in float64 and added to the matrix, which
// is float32 as its files are, when the chunk is done: so a run that goes on from a file gives the same bits.
type collector struct {
	output  bool // record the output matrix too
	moments map[string]*backend.Moments
}

// observe is engine.Options.Observe: the matrices of layers, as llama.cpp has it.
func (c *collector) observe(w *graph.Weight) *backend.Moments {
	isOutput := w.Name == "output.weight" || w.Name == "token_embd.weight"
	if !strings.HasPrefix(w.Name, "blk.") && !(c.output && isOutput) {
		return nil
	}
	if c.moments[w.Name] == nil {
		c.moments[w.Name] = backend.NewMoments(w)
	}
	return c.moments[w.Name]
}

// take returns the entries of what was observed since the last call.
func (c *collector) take() (*imatrix.Matrix, error) {
	m := imatrix.New()
	for name, sums := range c.moments {
		for i, v := range sums.Squares {
			if math.IsNaN(v) || v > math.MaxFloat32 {
				return nil, fmt.Errorf("the input of tensor %q is not finite in column %d (are the weights damaged?)", name, i%(len(sums.Squares)/len(sums.Counts)))
			}
		}
		m.Entries[name] = &imatrix.Entry{Squares: floats(sums.Squares), Sums: floats(sums.Sums), Counts: floats(sums.Counts)}
	}
	c.clear()
	return m, nil
}

// clear forgets what was observed.
func (c *collector) clear() {
	for _, sums := range c.moments {
		sums.Clear()
	}
}

func floats[T int64 | float64](values []T) []float32 {
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = float32(v)
	}
	return out
}

// lacks are notes on entries that say less than they should.
func lacks(m *imatrix.Matrix) (notes []string) {
	for _, name := range m.Names() {
		e := m.Entries[name]
		columns := len(e.Squares) / len(e.Counts)
		zeros, all := 0, 0
		for i, v := range e.Squares {
			if e.Counts[i/columns] > 0 {
				all++
				if v == 0 {
					zeros++
				}
			}
		}
		switch {
		case e.Coverage() < 1:
			missing := len(e.Counts) - int(math.Round(e.Coverage()*float64(len(e.Counts))))
			notes = append(notes, fmt.Sprintf("%s: %d of %d experts met no token, first %d (a longer text helps)",
				name, missing, len(e.Counts), slices.Index(e.Counts, 0)))
		case zeros > 0:
			notes = append(notes, fmt.Sprintf("%s: %d of %d columns met nothing but zeros", name, zeros, all))
		}
	}
	return notes
}
