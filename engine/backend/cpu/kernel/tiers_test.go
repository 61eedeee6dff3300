package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// eachTier runs f on every tier, restoring the active one after each. The best tier of the machine must be the one that
// runs by default, so that no body goes untested where it is used.
func eachTier(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	for tier := range tierCount {
		t.Run("tier="+tier.String(), func(t *testing.T) {
			useTier(t, tier)
			f(t)
		})
	}
}

// useTier switches to a tier until the test ends, or skips the test when the machine lacks it.
func useTier(tb testing.TB, tier Tier) {
	tb.Helper()
	restore, ok := Use(tier)
	if !ok {
		tb.Skipf("this machine or build has no %s", tier)
	}
	tb.Cleanup(restore)
}

// random is a source of test data: the same in every run.
type random struct{ *rand.Rand }

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 1))} }

// normal returns n numbers of a normal distribution.
func (r random) normal(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// guard is how many elements on either side of guarded data must stay as they are.
const guard = 24

// guarded is a slice with marks on both sides, at an offset that no vector width divides.
type guarded[T float32 | byte] struct {
	data, all []T
	mark      T
}

// guardFloats copies x between NaNs, which also spoil any result that wrongly reads them.
func guardFloats(x []float32) guarded[float32] {
	return newGuarded(x, float32(math.NaN()))
}

// guardBytes copies b between bytes that are a NaN in any float format.
func guardBytes(b []byte) guarded[byte] { return newGuarded(b, 0xff) }

func newGuarded[T float32 | byte](x []T, mark T) guarded[T] {
	all := make([]T, len(x)+2*guard+1)
	for i := range all {
		all[i] = mark
	}
	data := all[guard+1:][:len(x):len(x)]
	copy(data, x)
	return guarded[T]{data, all, mark}
}

// check fails the test when anything outside the data was written.
func (g guarded[T]) check(t *testing.T) {
	t.Helper()
	for i, v := range g.all {
		inside := i > guard && i <= guard+len(g.data)
		if !inside && v != g.mark && (v == v || g.mark == g.mark) {
			t.Fatalf("element %d of %d was written: %v", i-guard-1, len(g.data), v)
		}
	}
}

// same reports equal bits, or NaN and NaN.
func same(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}
