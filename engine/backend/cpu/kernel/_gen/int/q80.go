package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Q8_0: 32 int8.
var q80Blocks = blocks{name: "Q80", bytes: 34, scaleReader: &halfScale{}}

func q80() {
	b := &q80Blocks
	gemv(avx512, "gemvQ80", 8*b.bytes, blockBytes, q80Setup512, q80Super512)
	gemv(avx2, "gemvQ80", 8*b.bytes, blockBytes, q80Setup256, q80Super256)
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

var q80Flip VecVirtual

func q80Setup512() {
	q80Blocks.setup512()
	q80Flip = avx512.dwords(0x80808080)
}

func q80Super512(r rows, a Register, f VecVirtual) {
	var dots [2]VecVirtual
	size := q80Blocks.bytes
	for q := range dots { // 4 blocks
		var pair [2]VecVirtual
		for p := range pair {
			o := 2*q + p // vector of activations, two blocks
			act, v := ZMM(), avx512.regs(4)
			VMOVDQU32(at(a, 64*o), act)
			for i := range v {
				x := ZMM()
				VBROADCASTI64X4(r.at(i, 2*size*o+2), x)
				VINSERTI64X4(Imm(1), r.at(i, 2*size*o+size+2), x, x)
				VPXORD(q80Flip, x, x)
				avx512.zero(v[i])
				VPDPBUSD(act, x, v[i])
			}
			laneSums(avx512, v, ZMM())
			pair[p] = v[0]
		}
		even := ZMM()
		dots[q] = ZMM()
		VSHUFI32X4(Imm(0x88), pair[1], pair[0], even)
		VSHUFI32X4(Imm(0xdd), pair[1], pair[0], dots[q])
		VPADDD(even, dots[q], dots[q])
	}
	q80Blocks.finish512(r, a, dots, f)
}

// The AVX2 kernels move the weight's sign to the activation: |w| times the signed a is at most 128*127 a product, so that
// the pairwise sums of VPMADDUBSW stay within 16 bits.

var ones16 VecVirtual

func q80Setup256() { ones16 = avx2.dwords(0x00010001) }

func q80Super256(r rows, a Register, f VecVirtual) {
	for p := range 4 { // 2 blocks
		var sums [2]VecVirtual
		for h := range sums {
			act, v, tmp := YMM(), avx2.regs(4), YMM()
			VMOVDQU(at(a, 64*p+32*h), act)
			for i := range v {
				VMOVDQU(r.at(i, q80Blocks.bytes*(2*p+h)+2), v[i])
				VPSIGNB(v[i], act, tmp)
				VPABSB(v[i], v[i])
				VPMADDUBSW(tmp, v[i], v[i])
				VPMADDWD(ones16, v[i], v[i])
			}
			laneSums(avx2, v, tmp)
			sums[h] = v[0]
		}
		low, high := YMM(), YMM()
		VPERM2I128(Imm(0x20), sums[1], sums[0], low)
		VPERM2I128(Imm(0x31), sums[1], sums[0], high)
		VPADDD(low, high, high)
		q80Blocks.add256(r, a, p, high, true, f)
	}
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
