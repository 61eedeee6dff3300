package kernel

import (
	"encoding/binary"

	"github.com/llamakit/llamakit/formats/quant"
)

// Types with blocks of 32 weights and one scale each share dot:
//
//	dot = 0; for each of 8 blocks: dot = fma(scale, sum of the block's integer products, dot)
//
// With a min each, that is followed by
//
//	dot = fma(min, sum of the block's activations, dot)
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
func dotBlocks(u *intUnpacked, acts []byte) float32 {
	var f float32
	for b, d := range u.d {
		f = fma32(d, float32(dotInt8(u.q[32*b:][:32], acts[32*b:])), f)
	}
	return f
}

// dotBlockMins is dot with mins.
func dotBlockMins(u *intUnpacked, acts []byte) float32 {
	var f float32
	for b, d := range u.d {
		a := acts[32*b:][:32]
		f = fma32(d, float32(dotInt8(u.q[32*b:][:32], a)), f)
		f = fma32(u.m[b], float32(sumInt8(a)), f)
	}
	return f
}

// unpackBlockMins fills m from blocks of size bytes, float16 at byte 2.
func unpackBlockMins(u *intUnpacked, w []byte, size int) {
	n := len(w) / size
	for b := range n {
		u.m[b] = halfAt(w[size*b+2:])
	}
	clear(u.m[n:])
}

// halfAt is the float16 at the start of b.
func halfAt(b []byte) float32 { return quant.F16ToF32(binary.LittleEndian.Uint16(b)) }

// nibbleWeights unpacks 32 numbers of 4 bits from 16 bytes, low halves first, each through the table.
func nibbleWeights(q []int8, b []byte, table *[16]int8) {
	for i, v := range b[:16] {
		q[i], q[i+16] = table[v&15], table[v>>4]
	}
}
