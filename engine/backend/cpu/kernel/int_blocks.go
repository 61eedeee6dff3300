package kernel

import (
	"encoding/binary"

	"github.com/llamakit/llamakit/formats/quant"
)

// Types with blocks of 32 weights and one scale each share add. For each of the superblock's 8 blocks:
//
//	y = fma(scale, (scale of the activations) * (sum of the integer products), y)
//
// With a min each, that is followed by
//
//	y = fma(min, (scale of the activations) * (sum of the activations), y)
//
// Rows may end within a superblock; blocks past the end count as zeros.

// unpackBlocks fills q and d from blocks of size bytes.
func unpackBlocks(u *intUnpacked, w []byte, size int, block func(q []int8, b []byte) (scale float32)) {
	n := len(w) / size
	for b := range n {
		u.d[b] = block(u.q[32*b:][:32], w[size*b:][:size])
	}
	clear(u.d[n:8])
	clear(u.q[32*n:])
}

// addBlocks is add.
func addBlocks(u *intUnpacked, rec []byte, y float32) float32 {
	for b, d := range u.d[:8] {
		y = fma32(d, blockDot(u, rec, b), y)
	}
	return y
}

// addBlockMins is add with mins.
func addBlockMins(u *intUnpacked, rec []byte, y float32) float32 {
	for b, d := range u.d[:8] {
		y = fma32(d, blockDot(u, rec, b), y)
		y = fma32(u.m[b], floatAt(rec[actBlockSum+4*b:]), y)
	}
	return y
}

// blockDot is the sum of block b's integer products times the scale of its activations.
func blockDot(u *intUnpacked, rec []byte, b int) float32 {
	return float32(dotInt8(u.q[32*b:][:32], rec[32*b:])) * intActBlocks.scaleOf(rec, 32*b)
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
