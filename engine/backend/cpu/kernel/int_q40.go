package kernel

import (
	"encoding/binary"

	"github.com/llamakit/llamakit/formats/quant"
)

// Q4_0: blocks of 32 weights of 4 bits, less 8, with a float16 scale; layout in formats/quant. Rows may end within a
// superblock. dot is that of Q8_0.
var intQ40 = intType{
	typ: quant.Q4_0, superBytes: 8 * 18, act: &intAct32, offset: 8,
	unpack: unpackQ40, dot: dotBlocks, bodies: &q40Bodies,
}

// unpackQ40 fills q and d.
func unpackQ40(u *intUnpacked, w []byte) {
	*u = intUnpacked{}
	for b := range len(w) / 18 {
		block := w[18*b:][:18]
		u.d[b] = quant.F16ToF32(binary.LittleEndian.Uint16(block))
		for i, v := range block[2:] {
			u.q[32*b+i] = int8(v&15) - 8
			u.q[32*b+16+i] = int8(v>>4) - 8
		}
	}
}
