package kernel

import "github.com/llamakit/llamakit/formats/quant"

// Q5_1: a float16 scale, a float16 min, the fifth bits of 32 weights, their low 4 bits. add is that of Q4_1.
var intQ51 = intType{
	typ: quant.Q5_1, superBytes: 8 * 24, act: &intActBlocks, offset: 0,
	unpack: unpackQ51, add: addBlockMins, bodies: &q51Bodies,
}

// unpackQ51 fills q, d and m.
func unpackQ51(u *intUnpacked, w []byte) {
	unpackBlocks(u, w, 24, func(q []int8, b []byte) float32 {
		fiveBits(q, b[4:], 0)
		return halfAt(b)
	})
	unpackBlockMins(u, w, 24)
}
