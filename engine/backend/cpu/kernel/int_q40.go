package kernel

import "github.com/llamakit/llamakit/formats/quant"

// Q4_0: a float16 scale and 32 weights of 4 bits, less 8. add is that of int_blocks.go.
var intQ40 = intType{
	typ: quant.Q4_0, superBytes: 8 * 18, act: &intActBlocks, offset: 8,
	unpack: unpackQ40, add: addBlocks, bodies: &q40Bodies,
}

var less8 = [16]int8{-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7}

// unpackQ40 fills q and d.
func unpackQ40(u *intUnpacked, w []byte) {
	unpackBlocks(u, w, 18, func(q []int8, b []byte) float32 {
		nibbleWeights(q, b[2:], &less8)
		return halfAt(b)
	})
}
