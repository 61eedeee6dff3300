package kernel

import (
	"math"
	"sync"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

// The generic body is the specification: it is held to the decoded weights in float64, and the tiers to it, bit by bit.

func TestIntTypesAreTested(t *testing.T) {
	if len(intTestTypes) != len(intTypes) {
		t.Fatalf("%d types have integer kernels, %d are tested", len(intTypes), len(intTestTypes))
	}
	for typ, i := range intTypes {
		if i.typ != typ || i.superBytes != typ.RowBytes(intSuper) {
			t.Errorf("%v: the kernels are for %v in superblocks of %d bytes, not %d", typ, i.typ, i.superBytes, typ.RowBytes(intSuper))
		}
	}
}

// shapes are products small enough for the generic body that reach every path: few and many activation rows, all
// remainders of tiles, groups and panels, rows that end within a superblock.
func shapes(typ quant.Type) (s [][3]int) {
	ks := []int{256, 512, 1792}
	if b := typ.BlockSize(); b < intSuper {
		ks = append(ks, b, 3*b, 9*b, 15*b, 23*b)
	}
	for i, k := range ks {
		for m := 1; m <= 16; m++ {
			s = append(s, [3]int{m, 1 + (5*m+11*i)%37, k}, [3]int{m, 32 + (m+i)%5*13, k})
		}
	}
	return append(s, [3]int{4, 33, 16384}, [3]int{1, 4, 16384}, [3]int{523, 35, 256}, [3]int{519, 32, 256})
}

func TestIntMatMulTiers(t *testing.T) {
	eachIntType(t, func(t *testing.T, typ *intType) {
		r := newRandom(uint64(typ.typ))
		for i, s := range shapes(typ.typ) {
			p := newIntProblem(r, typ.typ, weightKind(i)%weightKinds, s[0], s[1], s[2])
			want := p.generic(t)
			for tier := Generic + 1; tier < tierCount; tier++ {
				if restore, ok := Use(tier); ok {
					got := p.run(t)
					restore()
					if t.Run("tier="+tier.String(), func(t *testing.T) { compare(t, p, got, want) }); t.Failed() {
						return
					}
				}
			}
		}
	})
}

// An output depends on its two rows alone, whatever else is computed with it.
func TestIntMatMulInvariance(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		eachIntType(t, func(t *testing.T, typ *intType) {
			m, n, k := 30, 70, 1024
			if Active() == Generic {
				m, n = 5, 40
			}
			p := newIntProblem(newRandom(2), typ.typ, plainWeights, m, n, k)
			all := p.run(t)
			row, act := typ.typ.RowBytes(k), p.mul.ActBytes(k)
			for _, rows := range [][2]int{{0, 1}, {3, 5}, {1, 34}, {7, n - 7}, {n - 1, 1}} {
				for _, acts := range [][2]int{{0, 1}, {m - 1, 1}, {1, 2}, {0, 4}, {2, m - 2}} {
					part := p
					part.w = p.w[rows[0]*row:][:rows[1]*row]
					part.acts = p.acts[acts[0]*act:][:acts[1]*act]
					part.m, part.n = acts[1], rows[1]
					for i, v := range part.run(t) {
						if want := all[(acts[0]+i/part.n)*n+rows[0]+i%part.n]; !same(v, want) {
							t.Fatalf("weight rows %v, activation rows %v: output %d is %g, in the whole product %g", rows, acts, i, v, want)
						}
					}
				}
			}
		})
	})
}

// The result is what the decoded weights and the decoded activations give, and close to the product of the activations
// as they were.
func TestIntMatMulAccuracy(t *testing.T) {
	const m, n, k = 5, 33, 2048
	eachTier(t, func(t *testing.T) {
		eachIntType(t, func(t *testing.T, typ *intType) {
			r := newRandom(3)
			p := newIntProblem(r, typ.typ, plainWeights, m, n, k)
			got := p.run(t)
			row, act := typ.typ.RowBytes(k), p.mul.ActBytes(k)
			w := make([]float32, k)
			var off, size float64
			for j := range n {
				quant.Decode(typ.typ, w, p.w[j*row:][:row])
				for i := range m {
					x := typ.decodeActs(p.acts[i*act:][:act], k)
					var dot, abs, exact float64
					for e, v := range w {
						dot += float64(v) * x[e]
						abs += math.Abs(float64(v) * x[e])
						exact += float64(v) * float64(p.x[i*k+e])
					}
					y := float64(got[i*n+j])
					if math.Abs(y-dot) > 1e-6*abs {
						t.Errorf("output %d of row %d is %g, want %g within %g", j, i, y, dot, 1e-6*abs)
					}
					off += (y - exact) * (y - exact)
					size += exact * exact
				}
			}
			if e := math.Sqrt(off / size); e > 0.012 {
				t.Errorf("quantising the activations costs a relative error of %.4f, want about 0.007", e)
			}
		})
	})
}

// TestIntMatMulOfAnyBytes: a weight whose bytes no encoder writes is what the decoder makes of it.
func TestIntMatMulOfAnyBytes(t *testing.T) {
	const n, k = 400, 256
	eachTier(t, func(t *testing.T) {
		eachIntType(t, func(t *testing.T, typ *intType) {
			p := newIntProblem(newRandom(5), typ.typ, anyWeights, 1, n, k)
			x, w, row := typ.decodeActs(p.acts, k), make([]float32, k), typ.typ.RowBytes(k)
			for j, got := range p.run(t) {
				quant.Decode(typ.typ, w, p.w[j*row:][:row])
				var dot, abs float64
				for e, v := range w {
					dot += float64(v) * x[e]
					abs += math.Abs(float64(v) * x[e])
				}
				if abs < 1e30 && !(math.Abs(float64(got)-dot) <= 1e-4*abs) { // else infinite, or no number
					t.Fatalf("output %d is %g, want %g within %g", j, got, dot, 1e-4*abs)
				}
			}
		})
	})
}

// decodeActs is the inverse of Prepare.
func (t *intType) decodeActs(acts []byte, k int) []float64 {
	x := make([]float64, k)
	for i := range x {
		rec := acts[i/intSuper*t.act.size:]
		x[i] = float64(t.act.scaleOf(rec, i%intSuper)) * float64(int8(rec[i%intSuper]))
	}
	return x
}

func TestIntMatMulSpecial(t *testing.T) {
	const m, n, k = 7, 37, 1024
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	eachTier(t, func(t *testing.T) {
		eachIntType(t, func(t *testing.T, typ *intType) {
			r := newRandom(4)
			mul := MatMulFor(typ.typ)
			p := intProblem{mul: mul, w: r.weights(typ.typ, plainWeights, n, k), m: m, n: n, k: k}
			for i := range m {
				x := r.normal(k)
				switch i {
				case 1:
					x[300] = nan
				case 2:
					x[1023] = inf
				case 3:
					x[0] = -inf
				case 4:
					clear(x)
				case 5:
					for j := range x {
						x[j] *= 1e-40
					}
				case 6:
					for j := range x {
						x[j] *= 1e30
					}
				}
				p.acts = append(p.acts, prepareRow(mul, x)...)
			}
			for i, v := range p.run(t) {
				switch row := i / n; {
				case row >= 1 && row <= 3:
					if v == v {
						t.Errorf("row %d has a value that is not finite, output %d is %g, want NaN", row, i%n, v)
					}
				case row == 4 || row == 5:
					if v != 0 {
						t.Errorf("row %d counts as zero, output %d is %g", row, i%n, v)
					}
				case v != v || math.IsInf(float64(v), 0):
					t.Errorf("row %d is finite, output %d is %g", row, i%n, v)
				}
			}
		})
	})
}

// Several threads compute parts of one product.
func TestIntMatMulConcurrently(t *testing.T) {
	const m, n, k, part = 9, 256, 512, 32
	eachTier(t, func(t *testing.T) {
		eachIntType(t, func(t *testing.T, typ *intType) {
			p := newIntProblem(newRandom(9), typ.typ, plainWeights, m, n, k)
			want, row := p.run(t), typ.typ.RowBytes(k)
			got := make([]float32, m*n)
			var wg sync.WaitGroup
			for j := 0; j < n; j += part {
				wg.Go(func() {
					p.mul.Rows(got[j:m*n-n+j+part], n, p.w[j*row:][:part*row], p.acts, m, k)
				})
			}
			wg.Wait()
			compare(t, p, got, want)
		})
	})
}

func TestIntMatMulAllocates(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		eachIntType(t, func(t *testing.T, typ *intType) {
			for _, m := range []int{1, 2, 9} {
				p := newIntProblem(newRandom(6), typ.typ, plainWeights, m, 35, 256)
				y := make([]float32, m*p.n)
				dst := make([]byte, p.mul.ActBytes(p.k))
				if a := testing.AllocsPerRun(20, func() {
					p.mul.Prepare(dst, p.x[:p.k])
					p.mul.Rows(y, p.n, p.w, p.acts, m, p.k)
				}); a >= 1 {
					t.Errorf("m=%d: %g allocations a call", m, a)
				}
			}
		})
	})
}

func TestIntMatMulRefusesWrongSizes(t *testing.T) {
	mul := MatMulFor(quant.Q8_0)
	const k = 64
	w, acts, y := make([]byte, 2*68), make([]byte, 2*mul.ActBytes(k)), make([]float32, 4)
	for name, f := range map[string]func(){
		"part of a weight row": func() { mul.Rows(y, 2, w[:100], acts, 2, k) },
		"too few activations":  func() { mul.Rows(y, 2, w, acts[:len(acts)-1], 2, k) },
		"too few outputs":      func() { mul.Rows(y[:3], 2, w, acts, 2, k) },
		"overlapping outputs":  func() { mul.Rows(y, 1, w, acts, 2, k) },
		"a part of a block":    func() { mul.Rows(y, 2, w, acts, 2, k-1) },
		"a short record":       func() { mul.Prepare(acts[:100], make([]float32, k)) },
	} {
		if recovered := func() (v any) {
			defer func() { v = recover() }()
			f()
			return nil
		}(); recovered == nil {
			t.Errorf("%s: no panic", name)
		}
	}
	mul.Rows(y, 2, nil, nil, 0, k) // nothing to do
}
