package kernel

import "github.com/llamakit/llamakit/formats/quant"

// IQ4_NL: a float16 scale and 32 weights of 4 bits that stand for one of 16 integers. add is that of int_blocks.go.
var intIQ4NL = intType{
	typ: quant.IQ4_NL, superBytes: 8 * 18, act: &intActBlocks, offset: 128,
	unpack: unpackIQ4NL, add: addBlocks, bodies: &iq4nlBodies,
}

// iq4Integers are the integers of IQ4_NL and IQ4_XS.
var iq4Integers = [16]int8{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}

// unpackIQ4NL fills q and d.
func unpackIQ4NL(u *intUnpacked, w []byte) {
	unpackBlocks(u, w, 18, func(q []int8, b []byte) float32 {
		nibbleWeights(q, b[2:], &iq4Integers)
		return halfAt(b)
	})
}
