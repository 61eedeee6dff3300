package kernel

import "github.com/llamakit/llamakit/formats/quant"

// Q4_1: a float16 scale, a float16 min and 32 weights of 4 bits. add is that of int_blocks.go with mins.
var intQ41 = intType{
	typ: quant.Q4_1, superBytes: 8 * 20, act: &intActBlocks, offset: 0,
	unpack: unpackQ41, add: addBlockMins, bodies: &q41Bodies,
}

var less0 = [16]int8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// unpackQ41 fills q, d and m.
func unpackQ41(u *intUnpacked, w []byte) {
	unpackBlocks(u, w, 20, func(q []int8, b []byte) float32 {
		nibbleWeights(q, b[4:], &less0)
		return halfAt(b)
	})
	unpackBlockMins(u, w, 20)
}
