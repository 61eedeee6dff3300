package probe

import "math"

// Difference is how far values are apart.
type Difference struct {
	Equal  bool    // two NaN, or twice the same infinity, are equal
	MaxAbs float64 // largest |a-b|; NaN where one side has one

	diff, square float64
}

// NewDifference begins with no values, which are equal.
func NewDifference() *Difference { return &Difference{Equal: true} }

// Add compares values, as many of each.
func (d *Difference) Add(a, b []float32) {
	for i, v := range a {
		w := b[i]
		d.square += float64(v) * float64(v)
		if v == w || v != v && w != w {
			continue
		}
		d.Equal = false
		e := math.Abs(float64(v) - float64(w))
		d.MaxAbs = max(d.MaxAbs, e) // NaN stays
		d.diff += e * e
	}
}

// RelRMS is sqrt(Σ(a-b)² / Σa²).
func (d *Difference) RelRMS() float64 {
	if d.diff == 0 {
		return 0
	}
	return math.Sqrt(d.diff / d.square)
}
