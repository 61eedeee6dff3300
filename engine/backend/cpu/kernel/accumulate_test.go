package kernel

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

// weightedSum is a weighted sum of rows with its operands.
type weightedSum struct {
	typ        quant.Type
	m, n, d    int
	acc, p, vf []float32
	v          []byte
}

func newWeightedSum(t testing.TB, r random, typ quant.Type, m, n, d int) weightedSum {
	s := weightedSum{typ: typ, m: m, n: n, d: d, acc: r.normal(m * d), p: r.normal(m * n), vf: make([]float32, n*d)}
	s.v = encodeRows(t, r, typ, n, d)
	quant.Decode(typ, s.vf, s.v)
	return s
}

// run returns the sums of rows [i0,i1), the n rows of v taken in calls of step at a time, all strides padded.
func (s weightedSum) run(t testing.TB, i0, i1, step int) []float32 {
	ldacc, ldp, ldv := s.d+3, s.n+1, s.d+s.d%3
	row, padded := s.typ.RowBytes(s.d), s.typ.RowBytes(ldv)
	m := i1 - i0
	acc, p := newGuarded(make([]float32, max(0, m*ldacc-3)), float32(math.NaN())), make([]float32, m*ldp)
	for i := range m {
		copy(acc.data[i*ldacc:], s.acc[(i0+i)*s.d:][:s.d])
		copy(p[i*ldp:], s.p[(i0+i)*s.n:][:s.n])
	}
	f := AccumulateFor(s.typ)
	for j := 0; j < s.n; j += step {
		n := min(step, s.n-j)
		v := guardBytes(bytes.Repeat([]byte{0xff}, (n-1)*padded+row))
		for i := range n {
			copy(v.data[i*padded:], s.v[(j+i)*row:][:row])
		}
		f(acc.data, ldacc, p[j:], ldp, v.data, nil, ldv, m, n, s.d)
	}
	out := make([]float32, 0, m*s.d)
	for i := range m {
		out = append(out, acc.data[i*ldacc:][:s.d]...)
	}
	if t, ok := t.(*testing.T); ok {
		acc.check(t)
	}
	return out
}

func (s weightedSum) verify(t *testing.T, got []float32) {
	t.Helper()
	for i := range s.m {
		for c := range s.d {
			sum := float64(s.acc[i*s.d+c])
			abs := math.Abs(sum)
			for j := range s.n {
				v := float64(s.p[i*s.n+j]) * float64(s.vf[j*s.d+c])
				sum, abs = sum+v, abs+math.Abs(v)
			}
			if !closeTo(got[i*s.d+c], sum, abs, 1e-6) {
				t.Fatalf("%v m=%d n=%d d=%d: [%d][%d] = %g, want %g", s.typ, s.m, s.n, s.d, i, c, got[i*s.d+c], sum)
			}
		}
	}
}

var sumTypes = []quant.Type{quant.F32, quant.F16}

func TestAccumulate(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		r := newRandom(12)
		for _, typ := range sumTypes {
			for d := 1; d <= 130; d++ {
				s := newWeightedSum(t, r, typ, 1+d%9, 1+d%7, d)
				s.verify(t, s.run(t, 0, s.m, s.n))
			}
			for _, d := range []int{192, 256, 576} {
				s := newWeightedSum(t, r, typ, 7, 32, d)
				s.verify(t, s.run(t, 0, s.m, s.n))
			}
		}
	})
}

// TestAccumulateInvariance requires the same bits for one row of sums and for many, and for rows of v in any number of calls.
func TestAccumulateInvariance(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		r := newRandom(13)
		for _, typ := range sumTypes {
			for _, d := range []int{5, 64, 80, 131} {
				t.Run(fmt.Sprintf("type=%v/d=%d", typ, d), func(t *testing.T) {
					s := newWeightedSum(t, r, typ, 11, 37, d)
					whole := s.run(t, 0, s.m, s.n)
					for m := 1; m <= 8; m++ {
						for _, step := range []int{1, 8, 32} {
							for i, got := range s.run(t, 2, 2+m, step) {
								if want := whole[2*d+i]; !same(got, want) {
									t.Fatalf("%d rows, %d at a time: [%d] = %g, in the whole %g", m, step, i, got, want)
								}
							}
						}
					}
				})
			}
		}
	})
}

func TestAccumulateSpecial(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	eachTier(t, func(t *testing.T) {
		for _, typ := range sumTypes {
			v := make([]byte, typ.RowBytes(70))
			x := make([]float32, 70)
			x[3], x[40], x[69] = nan, inf, -inf
			if err := quant.Encode(typ, v, x); err != nil {
				t.Fatal(err)
			}
			acc := make([]float32, 70)
			AccumulateFor(typ)(acc, 70, []float32{1}, 1, v, nil, 70, 1, 1, 70)
			for i, got := range acc {
				if !same(got, x[i]) {
					t.Errorf("%v: [%d] = %g, want %g", typ, i, got, x[i])
				}
			}
			AccumulateFor(typ)(acc, 70, nil, 0, nil, nil, 70, 1, 0, 70) // no rows: nothing to read
		}
	})
}
