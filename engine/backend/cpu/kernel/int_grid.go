//lint:file-ignore U1000 some tables are read by assembly alone

package kernel

import (
	"math/bits"

	"github.com/llamakit/llamakit/formats/quant"
)

// What the codebook types share. Their magnitudes are integers, and so are twice their scales, which have a half more than the
// stored number:
//
//	dot = d/8 (IQ1, IQ2), d/4 (IQ3_XXS) or d (IQ3_S) * sum of (2*scale + 1) * products
//
// with the sum over the superblock's groups of 32 (IQ2_XXS, IQ3) or 16 in integers; layouts in formats/quant. IQ1's weights
// are 8 times the ternary numbers plus 1 or minus 1.

// The codebooks as the kernels read them.
var (
	iq2xxsTable = [256]uint64(quant.Grid(quant.IQ2_XXS))
	iq2xsTable  = [512]uint64(quant.Grid(quant.IQ2_XS))
	iq2sTable   = [1024]uint64(quant.Grid(quant.IQ2_S))
	iq3xxsTable = [256]uint32(fours(quant.Grid(quant.IQ3_XXS)))
	iq3sTable   = [512]uint32(fours(quant.Grid(quant.IQ3_S)))
	iq1Table    = [2048]uint64(ternaryTable(quant.Grid(quant.IQ1_S)))
)

// fours is a codebook with 4 magnitudes an entry.
func fours(grid []uint64) []uint32 {
	t := make([]uint32, len(grid))
	for i, g := range grid {
		t[i] = uint32(g)
	}
	return t
}

// ternaryTable has the weights with a shift up, plus 9, so that it is unsigned with a shift down, too: 2, 10, 18.
func ternaryTable(grid []uint64) []uint64 {
	t := make([]uint64, len(grid))
	for i, g := range grid {
		t[i] = 8*g + 0x0202020202020202
	}
	return t
}

// magnitudes writes n = len(q) magnitudes of an entry, negative where a bit of signs is set.
func magnitudes(q []int8, entry uint64, signs byte) {
	for j := range q {
		q[j] = int8(entry >> (8 * j))
		if signs>>j&1 != 0 {
			q[j] = -q[j]
		}
	}
}

// evenSigns completes a sign code of 7 bits: the number of minus signs is even.
func evenSigns(code uint32) byte {
	code &= 127
	return byte(code | uint32(bits.OnesCount32(code)&1)<<7)
}
