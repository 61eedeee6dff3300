package imatrix

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Matrix is an importance matrix.
type Matrix struct {
	Entries  map[string]*Entry // by the name of the tensor, for example "blk.0.attn_q.weight"
	Datasets []string          // the texts that it was made from

	Chunks    int // pieces of text that were evaluated
	ChunkSize int // tokens in each; 0 when not known

	Schema []string // names of the numbers in Entry.Stats
}

// Entry is what is known of one tensor.
type Entry struct {
	Squares []float32 // sums of squared activations: len(Counts) runs of one number a column
	Sums    []float32 // sums of activations, as many; nil when not known
	Counts  []float32 // tokens that were summed, of each expert; one number where there are no experts
	Stats   []float32 // numbers named by Matrix.Schema; nil when there are none
}

// New returns a matrix without entries.
func New() *Matrix { return &Matrix{Entries: map[string]*Entry{}} }

// Names returns the names of the entries, sorted.
func (m *Matrix) Names() []string { return slices.Sorted(maps.Keys(m.Entries)) }

// Means returns the mean squares of an entry's columns. An expert that met no token tells nothing: its columns are all 1.
func (e *Entry) Means() []float32 {
	means := make([]float32, len(e.Squares))
	if len(e.Counts) == 0 {
		return means
	}
	columns := len(e.Squares) / len(e.Counts)
	for i, v := range e.Squares {
		means[i] = 1
		if count := e.Counts[min(i/max(columns, 1), len(e.Counts)-1)]; count > 0 {
			means[i] = v / count
		}
	}
	return means
}

// Keep removes the entries for which keep is false.
func (m *Matrix) Keep(keep func(name string) bool) {
	maps.DeleteFunc(m.Entries, func(name string, _ *Entry) bool { return !keep(name) })
}

// Add adds the sums and counts of another matrix. Stats cannot be added and are dropped where both have the entry.
func (m *Matrix) Add(other *Matrix) error {
	for _, name := range other.Names() {
		theirs := other.Entries[name]
		ours, ok := m.Entries[name]
		if !ok {
			m.Entries[name] = theirs.clone()
			continue
		}
		if len(ours.Squares) != len(theirs.Squares) || len(ours.Counts) != len(theirs.Counts) {
			return fmt.Errorf("imatrix: %s: %d columns and %d counts do not fit %d and %d (another model?)",
				name, len(theirs.Squares), len(theirs.Counts), len(ours.Squares), len(ours.Counts))
		}
		ours.add(theirs)
	}
	m.Chunks += other.Chunks
	for _, d := range other.Datasets {
		if !slices.Contains(m.Datasets, d) {
			m.Datasets = append(m.Datasets, d)
		}
	}
	return nil
}

func (e *Entry) clone() *Entry {
	return &Entry{slices.Clone(e.Squares), slices.Clone(e.Sums), slices.Clone(e.Counts), slices.Clone(e.Stats)}
}

func (e *Entry) add(other *Entry) {
	addTo(e.Squares, other.Squares)
	addTo(e.Counts, other.Counts)
	if len(e.Sums) == len(other.Sums) {
		addTo(e.Sums, other.Sums)
	} else {
		e.Sums = nil
	}
	e.Stats = nil
}

func addTo(a, b []float32) {
	for i, v := range b {
		a[i] += v
	}
}

// check refuses what quantisation could not use: it names the entry and the column.
func (m *Matrix) check() error {
	for _, name := range m.Names() {
		e := m.Entries[name]
		switch {
		case len(e.Squares) == 0 || len(e.Counts) == 0 || len(e.Squares)%len(e.Counts) != 0:
			return fmt.Errorf("entry %s: %d sums do not go with %d counts", printable(name), len(e.Squares), len(e.Counts))
		case e.Sums != nil && len(e.Sums) != len(e.Squares):
			return fmt.Errorf("entry %s: %d sums beside %d sums of squares", printable(name), len(e.Sums), len(e.Squares))
		}
		for i, v := range e.Squares {
			if !(v >= 0 && v <= math.MaxFloat32) {
				return fmt.Errorf("entry %s: column %d is %g; sums of squares must be finite and not negative (make the matrix again)", printable(name), i, v)
			}
		}
		for i, v := range e.Counts {
			if !(v >= 0 && v <= math.MaxFloat32) {
				return fmt.Errorf("entry %s: count %d is %g; counts must be finite and not negative (make the matrix again)", printable(name), i, v)
			}
		}
	}
	return nil
}

// printable quotes a name that comes from a file.
func printable(name string) string { return strings.ToValidUTF8(fmt.Sprintf("%q", name), "?") }
