package imatrix

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Statistics describe what a tensor's columns met. Mean, StdDev, Skewness and Kurtosis (the excess over a normal
// distribution's) are of the columns' mean activations; where plain sums are not known, of their mean squares.
// Experts that met no token are left out.
type Statistics struct {
	Name  string
	Layer int  // -1: of no layer
	Plain bool // plain sums are known

	Elements   int
	SumSquares float64 // of the mean squares
	Mean       float64
	StdDev     float64
	Skewness   float64
	Kurtosis   float64
	HNorm      float64 // entropy of the mean squares' shares, in percent of the greatest possible: 100 is evenly spread

	// Change compares with the same tensor of the nearest layer before that has it; nil: there is none.
	Change *Change
}

// schema names the numbers of Entry.Stats in the order of llama-imatrix v0.7.0.
var schema = []string{"sum_sq", "mean", "elements", "std_deviation", "skewness", "kurtosis", "gain", "h_norm",
	"l2_dist", "cossim", "pearson", "covariance"}

// Describe fills in Schema and the Stats of all entries.
func (m *Matrix) Describe() {
	m.Schema = slices.Clone(schema)
	for _, s := range m.Statistics() {
		c := s.Change
		if c == nil {
			c = &Change{}
		}
		e := m.Entries[s.Name]
		e.Stats = nil
		for _, v := range []float64{s.SumSquares, s.Mean, float64(s.Elements), s.StdDev, s.Skewness, s.Kurtosis, c.Gain(), s.HNorm,
			c.Distance(), c.Cosine(), c.Pearson(), c.Covariance()} {
			e.Stats = append(e.Stats, float32(v))
		}
	}
}

// Statistics describes all entries, by layer and then by name; what belongs to no layer comes last.
func (m *Matrix) Statistics() []Statistics {
	var all []Statistics
	for _, name := range m.Names() {
		s := m.Entries[name].statistics()
		s.Name, s.Layer = name, layerOf(name)
		all = append(all, s)
	}
	before := map[string]*Statistics{} // by role: the one of the nearest layer before
	slices.SortStableFunc(all, func(a, b Statistics) int { return cmp.Compare(uint(a.Layer), uint(b.Layer)) })
	for i := range all {
		s := &all[i]
		if s.Layer < 0 {
			continue
		}
		role := layerNumber.ReplaceAllString(s.Name, "blk.")
		if p := before[role]; p != nil {
			s.Change = m.change(s, p)
		}
		before[role] = s
	}
	return all
}

var layerNumber = regexp.MustCompile(`\bblk\.\d+`)

// layerOf is the number after "blk." in a tensor's name, or -1.
func layerOf(name string) int {
	_, digits, ok := strings.Cut(layerNumber.FindString(name), ".")
	if n, err := strconv.Atoi(digits); ok && err == nil {
		return n
	}
	return -1
}

// averages returns the columns' mean activations or mean squares, NaN for an expert that met no token.
func (e *Entry) averages(plain bool) []float64 {
	sums := e.Squares
	if plain {
		sums = e.Sums
	}
	out := make([]float64, len(sums))
	columns := len(e.Squares) / len(e.Counts)
	for i, v := range sums {
		count := float64(e.Counts[i/columns])
		if out[i] = float64(v) / count; count == 0 {
			out[i] = math.NaN()
		}
	}
	return out
}

func (e *Entry) statistics() Statistics {
	s := Statistics{Plain: e.Sums != nil}
	values := finite(e.averages(s.Plain))
	squares := finite(e.averages(false))
	s.Elements = len(values)
	n := float64(s.Elements)
	for _, v := range values {
		s.Mean += v / n
	}
	var m2, m3, m4 float64
	for _, v := range values {
		d := v - s.Mean
		m2 += d * d / n
		m3 += d * d * d / n
		m4 += d * d * d * d / n
	}
	if s.StdDev = math.Sqrt(m2); s.StdDev > tiny {
		s.Skewness = m3 / (m2 * s.StdDev)
		s.Kurtosis = m4/(m2*m2) - 3
	}
	for _, v := range squares {
		s.SumSquares += v
	}
	s.HNorm = evenness(squares, s.SumSquares)
	return s
}

// tiny is what counts as nothing, as in llama-imatrix.
const tiny = 1e-10

// evenness is the entropy of shares of a total in percent of that of equal shares (Shannon 1948).
func evenness(parts []float64, total float64) float64 {
	if len(parts) < 2 {
		return math.NaN()
	}
	entropy := 0.0
	for _, v := range parts {
		if p := v / total; p > tiny {
			entropy -= p * math.Log2(p)
		}
	}
	return 100 * entropy / math.Log2(float64(len(parts)))
}

func finite(values []float64) []float64 {
	return slices.DeleteFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// Coverage is the share of an entry's experts that met a token.
func (e *Entry) Coverage() float64 {
	met := 0
	for _, c := range e.Counts {
		if c > 0 {
			met++
		}
	}
	return float64(met) / float64(max(len(e.Counts), 1))
}
