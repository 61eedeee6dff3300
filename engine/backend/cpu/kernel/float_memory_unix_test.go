//go:build unix

package kernel

import "testing"

// TestFloatMatMulStaysWithinWeights reads neither before nor behind weights.
func TestFloatMatMulStaysWithinWeights(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		r := newRandom(9)
		for _, typ := range floatTypes[:3] {
			for _, s := range []struct{ m, n, k int }{{1, 1, 32}, {1, 3, 31}, {2, 4, 96}, {7, 6, 48}, {50, 67, 64}, {1, 5, 2080}, {60, 5, 2080}} {
				p := newProduct(t, r, typ, s.m, s.n, s.k)
				for _, start := range []bool{false, true} {
					p.w = atPageEnd(t, p.w, start)
					p.verify(t, p.run(t, 0, p.m, 0, p.n))
				}
			}
		}
	})
}
