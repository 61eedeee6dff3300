package kernel

import "testing"

func TestStateStep(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		r := newRandom(14)
		for d := 0; d <= 150; d++ {
			n := d % 11
			state, x, y := guardFloats(r.normal(n*d)), guardFloats(r.normal(d)), guardFloats(r.normal(d))
			decay, k, q := guardFloats(r.normal(n)), guardFloats(r.normal(n)), guardFloats(r.normal(n))
			want, sums, sizes := make([]float64, n*d), make([]float64, d), make([]float64, d)
			for c := range d {
				sums[c] = float64(y.data[c])
				for j := range n {
					v := float64(decay.data[j])*float64(state.data[j*d+c]) + float64(k.data[j])*float64(x.data[c])
					want[j*d+c] = v
					sums[c] += float64(q.data[j]) * v
					sizes[c] += 5 + max(v, -v)
				}
			}
			StateStep(state.data, decay.data, k.data, q.data, x.data, y.data)
			state.check(t)
			y.check(t)
			for i, v := range state.data {
				if !closeTo(v, want[i], 10, 1e-6) {
					t.Fatalf("%d rows of %d: state %d is %g, want %g", n, d, i, v, want[i])
				}
			}
			for c, v := range y.data {
				if !closeTo(v, sums[c], 10+sizes[c], 1e-6) {
					t.Fatalf("%d rows of %d: sum %d is %g, want %g", n, d, c, v, sums[c])
				}
			}
		}
	})
}
