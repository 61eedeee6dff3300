package graph

import (
	"math"
	"testing"
)

// TestALiBiSlopes has the example of the paper, eight heads, and a count that is no power of two: the further heads lie
// halfway between the first ones.
func TestALiBiSlopes(t *testing.T) {
	for _, c := range []struct {
		heads   int
		maxBias float32
		want    []float64 // exponents of 2, negated
	}{
		{1, 8, []float64{8}},
		{8, 8, []float64{1, 2, 3, 4, 5, 6, 7, 8}},
		{6, 8, []float64{2, 4, 6, 8, 1, 3}},
		{3, 4, []float64{2, 4, 1}},
	} {
		got := ALiBiSlopes(c.heads, c.maxBias)
		for h, e := range c.want {
			if want := math.Exp2(-e); math.Abs(float64(got[h])-want) > 1e-7*want {
				t.Errorf("%d heads, bias %g: slope %d is %g, want 2^-%g", c.heads, c.maxBias, h, got[h], e)
			}
		}
	}
}
