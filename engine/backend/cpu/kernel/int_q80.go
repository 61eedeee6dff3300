package kernel

import (
	"encoding/binary"

	"github.com/llamakit/llamakit/formats/quant"
)

// Q8_0: blocks of 32 int8 with a float16 scale; layout in formats/quant. Rows may end within a superblock.
//
//	dot = 0; for each of 8 blocks: dot = fma(scale, sum of the block's integer products, dot)
//
// Blocks past the end count as zeros.
var intQ80 = intType{
	typ: quant.Q8_0, superBytes: 8 * 34, act: &intAct32, offset: 128,
	unpack: unpackQ80, dot: dotBlocks, bodies: &q80Bodies,
}

// unpackQ80 fills q and d.
func unpackQ80(u *intUnpacked, w []byte) {
	*u = intUnpacked{}
	for b := range len(w) / 34 {
		block := w[34*b:][:34]
		u.d[b] = quant.F16ToF32(binary.LittleEndian.Uint16(block))
		copy(u.q[32*b:], int8s(block[2:]))
	}
}

// dotBlocks is dot for types with blocks of 32 that have a scale each, in d.
func dotBlocks(u *intUnpacked, q []int8) float32 {
	var f float32
	for b, d := range u.d {
		f = fma32(d, float32(dotInt8(u.q[32*b:][:32], q[32*b:])), f)
	}
	return f
}
