//go:build amd64 && !purego

package kernel

import (
	"fmt"
	"testing"
)

// Both ways to multiply with scales give the generic body's bits, whichever this processor takes.
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
		})
	}
}
