package kernel

import (
	"math"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

// The error that quantising the activations makes must not be larger than llama.cpp's, whose kernels quantise them to Q8_K
// with weights of superblocks of 256, to Q8_0 or Q8_1 with smaller blocks. All arithmetic after that is taken as exact
// there, so that only the forms are compared.
func TestIntMatMulNoWorseThanPeer(t *testing.T) {
	const m, n, k = 24, 24, 1024
	eachTier(t, func(t *testing.T) {
		eachIntType(t, func(t *testing.T, typ *intType) {
			r := newRandom(11)
			var w []byte
			for range n {
				w = append(w, encodeWeights(t, typ.typ, r.normal(k))...)
			}
			p := intProblem{mul: MatMulFor(typ.typ), w: w, m: m, n: n, k: k}
			for range m {
				x := r.unevenActivations(k)
				p.x = append(p.x, x...)
				p.acts = append(p.acts, prepareRow(p.mul, x)...)
			}
			ours, peer := p.squaredErrors(typ.typ, p.run(t))
			t.Logf("mean squared error: %.4f times llama.cpp's", ours/peer)
			if ratio := ours / peer; ratio > 1.01 {
				t.Errorf("the mean squared error is %.3f times llama.cpp's", ratio)
			}
		})
	})
}

// unevenActivations are as models have them: of different size from block to block, a few channels much larger.
func (r random) unevenActivations(k int) []float32 {
	x := r.normal(k)
	for i := range x {
		x[i] *= float32(1 + i/32%5)
		if r.IntN(100) == 0 {
			x[i] *= 8
		}
	}
	return x
}

func encodeWeights(t *testing.T, typ quant.Type, x []float32) []byte {
	t.Helper()
	w := make([]byte, typ.RowBytes(len(x)))
	if err := quant.EncodeWeighted(typ, w, x, ones(len(x))); err != nil {
		t.Fatal(err)
	}
	return w
}

func ones(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// squaredErrors compares the outputs y, and what llama.cpp's form of the activations gives, with the products of the
// decoded weights and the activations as they are.
func (p intProblem) squaredErrors(typ quant.Type, y []float32) (ours, peer float64) {
	w, row := make([]float32, p.k), typ.RowBytes(p.k)
	for i := range p.m {
		x := p.x[i*p.k:][:p.k]
		form := peerActivations(typ, x)
		for j := range p.n {
			quant.Decode(typ, w, p.w[j*row:][:row])
			var exact, theirs float64
			for e, v := range w {
				exact += float64(v) * float64(x[e])
				theirs += float64(v) * form[e]
			}
			ours += square(float64(y[i*p.n+j]) - exact)
			peer += square(theirs - exact)
		}
	}
	return ours, peer
}

func square(x float64) float64 { return x * x }

// peerActivations are the activations after llama.cpp quantised them. Q8_K has a float32 scale for 256, Q8_0 a float16 scale for
// 32; Q8_1 is the same and has the sum, rounded to float16, for the mins: that rounding is left out here, in its favour.
func peerActivations(typ quant.Type, x []float32) []float64 {
	size := 32
	if typ.BlockSize() == intSuper {
		size = intSuper
	}
	out := make([]float64, len(x))
	for b := 0; b < len(x); b += size {
		block := x[b:min(len(x), b+size)]
		d := peakOf(block) / 127
		stored := d
		if size == 32 {
			stored = quant.F16ToF32(quant.F32ToF16(d))
		}
		for i, v := range block {
			if d > 0 {
				out[b+i] = math.RoundToEven(float64(v/d)) * float64(stored)
			}
		}
	}
	return out
}
