package kernel

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

var intTestTypes = []quant.Type{
	quant.Q8_0, quant.Q4_0, quant.Q4_1, quant.Q5_0, quant.Q5_1, quant.IQ4_NL, quant.MXFP4,
	quant.IQ2_XXS, quant.IQ2_XS, quant.IQ2_S, quant.IQ3_XXS, quant.IQ3_S, quant.IQ1_S, quant.IQ1_M,
	quant.TQ1_0, quant.TQ2_0, quant.Q1_0, quant.Q2_0, quant.NVFP4,
	quant.IQ4_XS, quant.Q2_K, quant.Q3_K, quant.Q4_K, quant.Q5_K, quant.Q6_K,
}

// eachIntType runs f for every type with integer kernels.
func eachIntType(t *testing.T, f func(t *testing.T, typ *intType)) {
	t.Helper()
	for _, typ := range intTestTypes {
		t.Run("type="+typ.String(), func(t *testing.T) { f(t, intTypes[typ]) })
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
	case quant.Q4_1, quant.Q5_1, quant.Q4_K, quant.Q5_K:
		return []int{0, 2}
	case quant.Q2_K:
		return []int{80, 82}
	case quant.TQ1_0:
		return []int{52}
	case quant.TQ2_0:
		return []int{64}
	case quant.Q3_K:
		return []int{108}
	case quant.Q6_K:
		return []int{208}
	case quant.MXFP4, quant.NVFP4, quant.IQ1_M:
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
		if t == quant.NVFP4 && kind != anyWeights {
			for i := range 4 {
				block[i] = byte(r.IntN(16))
				if kind == zeroWeights {
					block[i] = 0x7f
				}
			}
		}
		if t == quant.MXFP4 && kind != anyWeights {
			block[0] = byte(120 + r.IntN(8))
		}
		if t == quant.IQ1_M && kind != anyWeights {
			d := quant.F32ToF16(float32(r.NormFloat64() * 0.01))
			if kind == zeroWeights {
				d = 0
			}
			for i := range 4 { // its nibbles are the top ones of 4 words
				block[49+2*i] = block[49+2*i]&15 | byte(d>>(4*i))<<4
			}
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
