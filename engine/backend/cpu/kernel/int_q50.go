package kernel

import (
	"encoding/binary"

	"github.com/llamakit/llamakit/formats/quant"
)

// Q5_0: a float16 scale, the fifth bits of 32 weights, their low 4 bits; less 16. add is that of int_blocks.go.
var intQ50 = intType{
	typ: quant.Q5_0, superBytes: 8 * 22, act: &intActBlocks, offset: 16,
	unpack: unpackQ50, add: addBlocks, bodies: &q50Bodies,
}

// unpackQ50 fills q and d.
func unpackQ50(u *intUnpacked, w []byte) {
	unpackBlocks(u, w, 22, func(q []int8, b []byte) float32 {
		fiveBits(q, b[2:], 16)
		return halfAt(b)
	})
}

// fiveBits unpacks 32 weights of 5 bits, less offset, from the fifth bits and 16 bytes as nibbleWeights takes them.
func fiveBits(q []int8, b []byte, offset int8) {
	fifth := binary.LittleEndian.Uint32(b)
	for i, v := range b[4:20] {
		q[i] = int8(v&15|byte(fifth>>i&1)<<4) - offset
		q[i+16] = int8(v>>4|byte(fifth>>(i+16)&1)<<4) - offset
	}
}
