//go:build amd64 && !purego

package kernel

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
)

// Both ways to multiply with scales give the generic body's bits, whichever this processor takes: with any activations, and with sums of
// groups as large as 16 bits take, of either sign beside each other.
func TestIntPairs(t *testing.T) {
	useTier(t, AVX512)
	defer multiplyPairs(pairsPay())
	for _, pairs := range []bool{false, true} {
		multiplyPairs(pairs)
		eachIntType(t, func(t *testing.T, typ *intType) {
			r := newRandom(uint64(typ.typ))
			for i := range 3 * int(weightKinds) {
				p := newIntProblem(r, typ.typ, weightKind(i)%weightKinds, 6*(1+i%3), 32, 512)
				t.Run(fmt.Sprintf("pairs=%t", pairs), func(t *testing.T) { compare(t, p, p.run(t), p.generic(t)) })
			}
			for _, sum := range []int{32767 / 15, 32767/15 + 1, 32767 / 31, 32767/31 + 1, 32767 / 32, 32767/32 + 1} {
				for _, layout := range [][2]int{{32, 1}, {32, 2}, {16, 1}, {16, 2}} {
					p := newIntProblem(r, typ.typ, extremeWeights, 6, 32, 512)
					x := largeGroups(sum, layout[0], layout[1], p.k)
					p.x, p.acts = slices.Repeat(x, p.m), bytes.Repeat(prepareRow(p.mul, x), p.m)
					t.Run(fmt.Sprintf("pairs=%t/sum=%d/%v", pairs, sum, layout), func(t *testing.T) { compare(t, p, p.run(t), p.generic(t)) })
				}
			}
		})
	}
}

// largeGroups returns groups of n numbers of one sign that add up to sum, or as much of it as they hold; with 2 signs every other group is
// negative. The numbers are whole and 127 is among them, so that they are their own quantisation.
func largeGroups(sum, n, signs, k int) []float32 {
	x := make([]float32, k)
	for i := range x {
		x[i] = 127
		if j := i % n; j > 0 {
			x[i] = float32(min(127, (sum-127)*j/(n-1)-(sum-127)*(j-1)/(n-1)))
		}
		if i/n%signs > 0 {
			x[i] = -x[i]
		}
	}
	return x
}
