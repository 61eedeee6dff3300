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

// TestBF16Rounding wants activations rounded where a tier multiplies BF16 numbers, and nowhere else.
func TestBF16Rounding(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for _, k := range []int{31, 32, 1024, 4128} {
			p := newProduct(t, newRandom(5), quant.BF16, 9, 6, k)
			exact := newRandom(6).normal(len(p.x))
			copy(p.x, exact)
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
