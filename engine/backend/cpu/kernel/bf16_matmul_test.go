package kernel

import (
	"slices"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

func roundBF16(x []float32) {
	b := make([]byte, 2*len(x))
	StoreBF16(b, x)
	LoadBF16(x, b)
}

// TestBF16InFloat32 runs the products of processors that do not multiply BF16 numbers.
func TestBF16InFloat32(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		pairs := current.direct.pairs
		defer func() { current.direct.pairs = pairs }()
		current.direct.pairs = nil
		for _, k := range []int{32, 96, 2080} {
			p := newProduct(t, newRandom(7), quant.BF16, 70, 13, k)
			copy(p.x, newRandom(8).normal(len(p.x)))
			whole := p.run(t, 0, p.m, 0, p.n)
			p.verify(t, whole)
			for m := 1; m <= 14; m++ {
				p.requireSame(t, whole, p.m-m, p.m, 0, p.n)
			}
		}
	})
}

// TestBF16Rounding wants activations rounded where a tier multiplies BF16 numbers, and nowhere else.
func TestBF16Rounding(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for _, k := range []int{31, 32, 1024, 4128} {
			p := newProduct(t, newRandom(5), quant.BF16, 9, 6, k)
			copy(p.x, newRandom(6).normal(len(p.x)))
			got := p.run(t, 0, p.m, 0, p.n)
			if !inPairs(k) {
				p.verify(t, got)
				continue
			}
			roundBF16(p.x)
			if want := p.run(t, 0, p.m, 0, p.n); !slices.Equal(got, want) {
				t.Errorf("k=%d: not the product of rounded activations", k)
			}
			p.verify(t, got)
		}
	})
}
