package kernel

import (
	"math"

	"github.com/llamakit/llamakit/formats/quant"
)

// MXFP4: a byte e for the scale 2^(e-128) and 32 weights of 4 bits, floats that are doubled here to be integers. add is
// that of int_blocks.go.
var intMXFP4 = intType{
	typ: quant.MXFP4, superBytes: 8 * 17, act: &intActBlocks, offset: 12,
	unpack: unpackMXFP4, add: addBlocks, bodies: &mxfp4Bodies,
}

var mxfp4Integers = [16]int8{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}

// unpackMXFP4 fills q and d.
func unpackMXFP4(u *intUnpacked, w []byte) {
	unpackBlocks(u, w, 17, func(q []int8, b []byte) float32 {
		nibbleWeights(q, b[1:], &mxfp4Integers)
		return float32(math.Ldexp(1, int(b[0])-128))
	})
}
