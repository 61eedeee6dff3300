package backend

import "github.com/llamakit/llamakit/engine/graph"

// Moments sum up the rows that a matrix is multiplied with, column by column: what an importance matrix is made of. A
// matrix of several experts has a count and a run of columns for each.
//
// A program adds to them while it runs a batch. They belong to whoever made them, who may read and clear them in between.
type Moments struct {
	Counts  []int64   // rows, by expert
	Sums    []float64 // of the values: graph.Weight.In columns an expert
	Squares []float64 // of the squared values
}

// NewMoments returns the moments of no rows, for a matrix.
func NewMoments(w *graph.Weight) *Moments {
	n := w.In * w.Experts
	return &Moments{Counts: make([]int64, w.Experts), Sums: make([]float64, n), Squares: make([]float64, n)}
}

// Add adds the columns from col on of a row that an expert is multiplied with.
func (m *Moments) Add(expert, col int, values []float32) {
	at := expert*len(m.Sums)/len(m.Counts) + col
	sums, squares := m.Sums[at:at+len(values)], m.Squares[at:at+len(values)]
	for i, v := range values {
		x := float64(v)
		sums[i] += x
		squares[i] += x * x
	}
}

// Clear forgets all rows.
func (m *Moments) Clear() {
	clear(m.Counts)
	clear(m.Sums)
	clear(m.Squares)
}
