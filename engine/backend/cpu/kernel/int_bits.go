package kernel

import "github.com/llamakit/llamakit/formats/quant"

// Q1_0 and Q2_0: weights of 1 or 2 bits with a float16 scale for 128 or 64; layouts in formats/quant. add is that of
// int_blocks.go, with the scale for each 32.
var (
	intQ10 = intType{
		typ: quant.Q1_0, superBytes: 2 * 18, act: &intActBlocks, offset: 1,
		unpack: unpackQ10, add: addBlocks, bodies: &q10Bodies,
	}
	intQ20 = intType{
		typ: quant.Q2_0, superBytes: 4 * 18, act: &intActBlocks, offset: 1,
		unpack: unpackQ20, add: addBlocks, bodies: &q20Bodies,
	}
)

// unpackQ10 fills q and d.
func unpackQ10(u *intUnpacked, w []byte) {
	unpackBits(u, w, 128, func(b []byte, i int) int8 { return int8(2*(b[i/8]>>(i%8)&1)) - 1 })
}

// unpackQ20 fills q and d.
func unpackQ20(u *intUnpacked, w []byte) {
	unpackBits(u, w, 64, func(b []byte, i int) int8 { return int8(b[i/4]>>(i%4*2)&3) - 1 })
}

// unpackBits fills q and d from blocks of n weights.
func unpackBits(u *intUnpacked, w []byte, n int, weight func(b []byte, i int) int8) {
	clear(u.q[:])
	clear(u.d[:8])
	for j := 0; len(w) > 0; j, w = j+n, w[18:] {
		for i := range n {
			u.q[j+i] = weight(w[2:18], i)
		}
		for b := range n / 32 {
			u.d[j/32+b] = halfAt(w)
		}
	}
}
