package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Q8_0: 32 int8.
var q80Blocks = blocks{name: "Q80", bytes: 34, scaleReader: &halfScale{}}

func q80() {
	var flip VecVirtual
	b := byteWeights{&q80Blocks, true, func(w width) {
		if w == avx512 {
			flip = w.dwords(0x80808080)
		}
	}, func(w width, r rows, i, o int, x VecVirtual) {
		if w == avx2 {
			VMOVDQU(r.at(i, q80Blocks.bytes*o+2), x)
			return
		}
		VBROADCASTI64X4(r.at(i, 2*q80Blocks.bytes*o+2), x)
		VINSERTI64X4(Imm(1), r.at(i, q80Blocks.bytes*(2*o+1)+2), x, x)
		VPXORD(flip, x, x)
	}}
	b.rowKernels(8 * q80Blocks.bytes)
	for _, w := range widths {
		unpackQ80(w)
	}
}

// unpackQ80 makes a panel; its bytes are unsigned, the weight plus 128, for AVX-512 and signed for AVX2.
func unpackQ80(w width) {
	var flip VecVirtual
	q80Blocks.unpack(w, func(u *unpacker) {
		if w == avx512 {
			flip = w.dwords(0x80808080)
		}
	}, func(u *unpacker) {
		for c := range 2 {
			u.columns(w, 2+16*c, u.v, u.tmp)
			for i, v := range u.v {
				if w == avx512 {
					VPXORD(flip, v, v)
				}
				u.store(v, 4*c+i)
			}
		}
	})
}

// fourScales reads the float16 at disp of 4 rows.
func fourScales(w width, r rows, disp int) VecVirtual {
	d := XMM()
	w.zero(d)
	for i := range 4 {
		VPINSRW(Imm(uint64(i)), r.at(i, disp), d, d)
	}
	VCVTPH2PS(d, d)
	return d
}
