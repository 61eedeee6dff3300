package kernel

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

// The generic body is the specification: it is held to the decoded weights in float64, and the tiers to it, bit by bit.

var intTestTypes = []quant.Type{
	quant.Q8_0, quant.Q4_0, quant.Q5_0, quant.IQ4_NL, quant.MXFP4, quant.IQ4_XS, quant.Q4_K, quant.Q5_K, quant.Q6_K,
}

// eachIntType runs f for every type with integer kernels.
func eachIntType(t *testing.T, f func(t *testing.T, typ *intType)) {
	t.Helper()
	for _, typ := range intTestTypes {
		t.Run("type="+typ.String(), func(t *testing.T) { f(t, intTypes[typ]) })
	}
}

func TestIntTypesAreTested(t *testing.T) {
	if len(intTestTypes) != len(intTypes) {
		t.Fatalf("%d types have integer kernels, %d are tested", len(intTypes), len(intTestTypes))
	}
}

// weightKind says what random weights are like.
type weightKind int

const (
	plainWeights   weightKind = iota // random integers, scales of a usual size
	extremeWeights                   // every integer field all zeros or all ones
	anyWeights                       // any bytes at all: scales may be infinite, NaN, denormal
	zeroWeights                      // scales are zero
	weightKinds
)

// floatFields returns where a block's float16 fields are.
func floatFields(t quant.Type) []int {
	switch t {
	case quant.Q4_K, quant.Q5_K:
		return []int{0, 2}
	case quant.Q6_K:
		return []int{208}
	case quant.MXFP4:
		return nil
	}
	return []int{0}
}

// weights returns n rows of k weights.
func (r random) weights(t quant.Type, kind weightKind, n, k int) []byte {
	w := make([]byte, n*t.RowBytes(k))
	size := t.BlockBytes()
	for b := 0; b < len(w); b += size {
		block := w[b:][:size]
		fill := byte(0)
		if kind == extremeWeights && r.IntN(2) == 0 {
			fill = 0xff
		}
		for i := range block {
			block[i] = byte(r.Uint32())
			if kind == extremeWeights {
				block[i] = fill
				if (t == quant.Q4_K || t == quant.Q5_K) && i < 16 {
					block[i] = 0xff // scales and mins at their largest, weights all 0 or all 15
				}
				if t == quant.Q6_K && i >= 192 {
					block[i] = []byte{0x80, 0x7f}[r.IntN(2)]
				}
				if t == quant.Q8_0 {
					block[i] = []byte{0x80, 0x7f}[r.IntN(2)]
				}
			}
		}
		if t == quant.MXFP4 && kind != anyWeights {
			block[0] = byte(120 + r.IntN(8))
		}
		for _, f := range floatFields(t) {
			switch kind {
			case plainWeights, extremeWeights:
				binary.LittleEndian.PutUint16(block[f:], quant.F32ToF16(float32(r.NormFloat64()*0.01)))
			case zeroWeights:
				binary.LittleEndian.PutUint16(block[f:], 0)
			}
		}
	}
	return w
}

// activations returns k values of a mixed kind: mostly normal, some superblocks constant (the largest sums) or zero.
func (r random) activations(k int) []float32 {
	x := r.normal(k)
	for s := 0; s < k; s += intSuper {
		part := x[s:min(k, s+intSuper)]
		switch r.IntN(5) {
		case 0:
			for i := range part {
				part[i] = part[0]
			}
		case 1:
			for i := range part {
				part[i] = float32(math.Copysign(1, float64(part[i])))
			}
		case 2:
			if r.IntN(3) == 0 {
				clear(part)
			}
		}
	}
	return x
}

// intProblem is a product to compute.
type intProblem struct {
	mul     MatMul
	w, acts []byte
	x       []float32
	m, n, k int
}

func newIntProblem(r random, typ quant.Type, kind weightKind, m, n, k int) intProblem {
	p := intProblem{mul: MatMulFor(typ), w: r.weights(typ, kind, n, k), m: m, n: n, k: k}
	for range m {
		x := r.activations(k)
		p.x = append(p.x, x...)
		p.acts = append(p.acts, prepareRow(p.mul, x)...)
	}
	return p
}

func prepareRow(mul MatMul, x []float32) []byte {
	b := make([]byte, mul.ActBytes(len(x)))
	mul.Prepare(b, x)
	return b
}

// run computes the product, n outputs a row, and checks that nothing else is written.
func (p intProblem) run(t *testing.T) []float32 {
	t.Helper()
	ldy := p.n + 3
	y := guardFloats(make([]float32, (p.m-1)*ldy+p.n))
	for i := range y.data {
		y.data[i] = 7
	}
	w, acts := guardBytes(p.w), guardBytes(p.acts)
	p.mul.Rows(y.data, ldy, w.data, acts.data, p.m, p.k)
	y.check(t)
	var out []float32
	for i := range p.m {
		out = append(out, y.data[i*ldy:][:p.n]...)
		if i < p.m-1 && (y.data[i*ldy+p.n] != 7 || y.data[i*ldy+ldy-1] != 7) {
			t.Fatalf("row %d: outputs past %d were written", i, p.n)
		}
	}
	return out
}

// generic computes the product by the specification.
func (p intProblem) generic(t *testing.T) []float32 {
	t.Helper()
	restore, _ := Use(Generic)
	defer restore()
	return p.run(t)
}

func compare(t *testing.T, p intProblem, got, want []float32) {
	t.Helper()
	for i := range want {
		if !same(got[i], want[i]) {
			t.Fatalf("m=%d n=%d k=%d: output %d of row %d is %g (%#x), want %g (%#x)", p.m, p.n, p.k, i%p.n, i/p.n,
				got[i], math.Float32bits(got[i]), want[i], math.Float32bits(want[i]))
		}
	}
}

// shapes are products small enough for the generic body that reach every path: few and many activation rows, all
// remainders of tiles, groups and panels, rows that end within a superblock.
func shapes(typ quant.Type) (s [][3]int) {
	ks := []int{256, 512, 1792}
	if typ.BlockSize() == 32 {
		ks = append(ks, 32, 96, 288, 480, 736)
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

// decodeActs is the inverse of Prepare.
func (t *intType) decodeActs(acts []byte, k int) []float64 {
	x := make([]float64, k)
	for i := range x {
		rec := acts[i/intSuper*t.act.size:]
		x[i] = float64(t.act.scaleOf(rec)) * float64(int8(rec[i%intSuper]))
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
						x[j] *= 1e32
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

// FuzzIntMatMul lets the bytes be weights and, as float32, activations. All tiers must agree with the specification.
func FuzzIntMatMul(f *testing.F) {
	for _, typ := range intTestTypes {
		for kind := range weightKinds {
			f.Add(uint8(typ), uint8(5), newRandom(5).weights(typ, kind, 2, 256), []byte{0, 0, 128, 63, 0, 0, 192, 127, 1, 2, 3, 4})
		}
	}
	f.Fuzz(func(t *testing.T, typ, m uint8, wts, acts []byte) {
		i, ok := intTypes[quant.Type(typ)]
		k := 512
		if ok && i.typ.BlockSize() == 32 {
			k = 32 * (1 + int(m)%20)
		}
		if !ok || len(wts) == 0 || len(acts) < 4 {
			return
		}
		p := intProblem{mul: MatMulFor(i.typ), m: 1 + int(m)%9, n: 1 + len(wts)%40, k: k}
		for size := p.n * i.typ.RowBytes(k); len(p.w) < size; {
			p.w = append(p.w, wts[:min(len(wts), size-len(p.w))]...)
		}
		x := make([]float32, k)
		for row := range p.m {
			for e := range x {
				at := (4*e + row) % (len(acts) - 3)
				x[e] = math.Float32frombits(binary.LittleEndian.Uint32(acts[at:]))
			}
			p.acts = append(p.acts, prepareRow(p.mul, x)...)
		}
		want := p.generic(t)
		for tier := Generic + 1; tier < tierCount; tier++ {
			if restore, ok := Use(tier); ok {
				got := p.run(t)
				restore()
				compare(t, p, got, want)
			}
		}
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

func BenchmarkIntMatMul(b *testing.B) {
	for _, typ := range intTestTypes {
		for tier := Generic; tier < tierCount; tier++ {
			for _, s := range [][3]int{{1, 1 << 14, 1024}, {4, 1024, 1024}, {8, 1024, 1024}, {512, 256, 1024}, {512, 256, 4096}} {
				m, n, k := s[0], s[1], s[2]
				if tier == Generic {
					m, n = min(m, 4), 64
				}
				b.Run(fmt.Sprintf("type=%v/m=%d/k=%d/tier=%v", typ, m, k, tier), func(b *testing.B) {
					useTier(b, tier)
					r := newRandom(7)
					p := newIntProblem(r, typ, plainWeights, m, n, k)
					if m == 1 { // from memory, not from cache: 64 MB of weights
						for len(p.w) < 1<<26 {
							p.w = append(p.w, p.w...)
						}
						p.n = len(p.w) / typ.RowBytes(k)
					}
					y := make([]float32, m*p.n)
					b.SetBytes(int64(len(p.w)))
					for b.Loop() {
						p.mul.Rows(y, p.n, p.w, p.acts, m, k)
					}
					b.ReportMetric(float64(m)*float64(p.n)*float64(k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
				})
			}
		}
	}
}
