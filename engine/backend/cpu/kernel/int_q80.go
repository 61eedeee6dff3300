package kernel

import "github.com/llamakit/llamakit/formats/quant"

// Q8_0: a float16 scale and 32 int8. add is that of int_blocks.go.
var intQ80 = intType{
	typ: quant.Q8_0, superBytes: 8 * 34, act: &intActBlocks, offset: 128,
	unpack: unpackQ80, add: addBlocks, bodies: &q80Bodies,
}

// unpackQ80 fills q and d.
func unpackQ80(u *intUnpacked, w []byte) {
	unpackBlocks(u, w, 34, func(q []int8, b []byte) float32 {
		for i, v := range b[2:] {
			q[i] = int8(v)
		}
		return halfAt(b)
	})
}
