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
	ChunkSize int // tokens in each; 0 when not known, as in the older format, whose counts are chunks and not tokens

	Schema   []string  // names of the numbers in Entry.Stats
	Progress *Progress // nil: the matrix is finished
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

// Add adds the sums and counts of another matrix, whose chunks are converted to this one's size. Counts of the older
// format, which are chunks, are converted to tokens. Stats cannot be added and are dropped.
func (m *Matrix) Add(other *Matrix) error {
	if m.ChunkSize == 0 {
		m.ChunkSize = other.ChunkSize
	}
	tokens, chunks := float32(1), other.Chunks
	switch {
	case other.ChunkSize == 0:
		tokens = float32(max(m.ChunkSize, 1))
	case other.ChunkSize != m.ChunkSize:
		chunks = (other.Chunks*other.ChunkSize + m.ChunkSize/2) / m.ChunkSize
	}
	for _, name := range other.Names() {
		theirs := other.Entries[name].times(tokens)
		ours, ok := m.Entries[name]
		if !ok {
			m.Entries[name] = theirs
			continue
		}
		spread(&ours.Counts, len(theirs.Counts))
		spread(&theirs.Counts, len(ours.Counts))
		if len(ours.Squares) != len(theirs.Squares) || len(ours.Counts) != len(theirs.Counts) {
			return fmt.Errorf("imatrix: %s: %d columns and %d counts do not fit %d and %d (another model?)",
				printable(name), len(theirs.Squares), len(theirs.Counts), len(ours.Squares), len(ours.Counts))
		}
		ours.add(theirs)
	}
	m.Chunks += chunks
	for _, d := range other.Datasets {
		if !slices.Contains(m.Datasets, d) {
			m.Datasets = append(m.Datasets, d)
		}
	}
	return nil
}

// times returns an entry of n times the sums and counts, without Stats.
func (e *Entry) times(n float32) *Entry {
	scaled := func(values []float32) []float32 {
		values = slices.Clone(values)
		for i := range values {
			values[i] *= n
		}
		return values
	}
	return &Entry{Squares: scaled(e.Squares), Sums: scaled(e.Sums), Counts: scaled(e.Counts)}
}

// spread gives each of n experts the one count that the older format has for all of them.
func spread(counts *[]float32, n int) {
	if len(*counts) == 1 {
		*counts = slices.Repeat(*counts, n)
	}
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
