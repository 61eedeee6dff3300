//go:build amd64 && !purego

package kernel

import (
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

// The digits stand for the codebook's magnitudes in ascending order, which the kernels have in a table of theirs.
func TestGridDigits(t *testing.T) {
	levels2, levels3 := []byte{8, 25, 43}, []byte{4, 12, 20, 28, 36, 44, 52, 62}
	for _, c := range []struct {
		typ    quant.Type
		digits []uint16
		n      int
		levels []byte
	}{
		{quant.IQ2_XXS, iq2xxsDigits[:], 8, levels2},
		{quant.IQ2_XS, iq2xsDigits[:], 8, levels2},
		{quant.IQ3_XXS, iq3xxsDigits[:], 4, levels3},
		{quant.IQ3_S, iq3sDigits[:], 4, []byte{1, 3, 5, 7, 9, 11, 13, 15}},
	} {
		for i, entry := range quant.Grid(c.typ) {
			for j := range c.n {
				width := 16 / c.n
				if got, want := c.levels[c.digits[i]>>(width*j)&(1<<width-1)], byte(entry>>(8*j)); got != want {
					t.Fatalf("%v: element %d of entry %d is %d, want %d", c.typ, j, i, got, want)
				}
			}
		}
	}
}
