package kernel

import (
	"testing"
	"unsafe"

	"github.com/llamakit/llamakit/formats/quant"
)

// recurrentState is a state with a token.
type recurrentState struct {
	n, d              int
	state, x, y, held guarded[float32]
	decay, k, q       guarded[float32]
}

func newRecurrentState(r random, n, d int) *recurrentState {
	row := func(n int) guarded[float32] { return guardFloats(r.normal(n)) }
	return &recurrentState{n: n, d: d, state: row(n * d), x: row(d), y: row(d), held: row(d), decay: row(n), k: row(n), q: row(n)}
}

func (s *recurrentState) check(t *testing.T) {
	t.Helper()
	for _, g := range []guarded[float32]{s.state, s.y, s.held} {
		g.check(t)
	}
}

func TestStateStep(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		r := newRandom(14)
		for d := 0; d <= 150; d++ {
			s := newRecurrentState(r, d%11, d)
			before, y := append([]float32{}, s.state.data...), append([]float32{}, s.y.data...)
			StateStep(s.state.data, s.decay.data, s.k.data, s.x.data, s.q.data, s.y.data)
			s.check(t)
			for c := range d {
				sum, size := float64(y[c]), 10.0
				for j := range s.n {
					v := float64(s.decay.data[j])*float64(before[j*d+c]) + float64(s.k.data[j])*float64(s.x.data[c])
					if got := s.state.data[j*d+c]; !closeTo(got, v, 10, 1e-6) {
						t.Fatalf("%d rows of %d: state [%d][%d] is %g, want %g", s.n, d, j, c, got, v)
					}
					sum, size = sum+float64(s.q.data[j])*v, size+5+max(v, -v)
				}
				if got := s.y.data[c]; !closeTo(got, sum, size, 1e-6) {
					t.Fatalf("%d rows of %d: sum %d is %g, want %g", s.n, d, c, got, sum)
				}
			}
		}
	})
}

// TestStateStepAhead requires the bits of StateStep and of a weighted sum after it.
func TestStateStepAhead(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for d := 1; d <= 150; d++ {
			a, b := newRecurrentState(newRandom(15), 1+d%11, d), newRecurrentState(newRandom(15), 1+d%11, d)
			ahead := newRandom(16).normal(a.n)
			StateStep(a.state.data, a.decay.data, a.k.data, a.x.data, a.q.data, a.y.data)
			rows := unsafe.Slice((*byte)(unsafe.Pointer(&a.state.data[0])), 4*len(a.state.data))
			AccumulateFor(quant.F32)(a.held.data, d, ahead, a.n, rows, nil, d, 1, a.n, d)
			StateStepAhead(b.state.data, b.decay.data, b.k.data, b.x.data, b.q.data, b.y.data, ahead, b.held.data)
			b.check(t)
			for i, want := range [][]float32{a.state.data, a.y.data, a.held.data} {
				for c, got := range [][]float32{b.state.data, b.y.data, b.held.data}[i] {
					if !same(got, want[c]) {
						t.Fatalf("%d rows of %d: value %d of %d is %g, want %g", a.n, d, c, i, got, want[c])
					}
				}
			}
		}
	})
}
