package kernel

import (
	"encoding/binary"

	"github.com/llamakit/llamakit/formats/quant"
)

// Types with blocks of 32 weights and one scale each share dot:
//
//	dot = 0; for each of 8 blocks: dot = fma(scale, sum of the block's integer products, dot)
//
// Rows may end within a superblock; blocks past the end count as zeros.

// unpackBlocks fills q and d from blocks of size bytes.
func unpackBlocks(u *intUnpacked, w []byte, size int, block func(q []int8, b []byte) (scale float32)) {
	n := len(w) / size
	for b := range n {
		u.d[b] = block(u.q[32*b:][:32], w[size*b:][:size])
	}
	clear(u.d[n:])
	clear(u.q[32*n:])
}

// dotBlocks is dot.
func dotBlocks(u *intUnpacked, q []int8) float32 {
	var f float32
	for b, d := range u.d {
		f = fma32(d, float32(dotInt8(u.q[32*b:][:32], q[32*b:])), f)
	}
	return f
}

// halfAt is the float16 at the start of b.
func halfAt(b []byte) float32 { return quant.F16ToF32(binary.LittleEndian.Uint16(b)) }

// nibbleWeights unpacks 32 numbers of 4 bits from 16 bytes, low halves first, each through the table.
func nibbleWeights(q []int8, b []byte, table *[16]int8) {
	for i, v := range b[:16] {
		q[i], q[i+16] = table[v&15], table[v>>4]
	}
}
