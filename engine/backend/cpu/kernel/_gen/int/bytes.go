package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// byteWeights are the row kernels of types with a scale for each 32 weights, or more, that come as bytes in order. AVX-512 takes
// unsigned ones; AVX2 too, of at most 3, unless they are signed.
type byteWeights struct {
	*blocks
	signed bool
	init   func(w width)                                 // makes constants
	load   func(w width, r rows, i, o int, x VecVirtual) // vector o of row i
}

var ones16 VecVirtual

func (b *byteWeights) rowKernels(superBytes int) {
	gemv(avx512, "gemv"+b.name, superBytes, blockBytes, func() {
		b.setup512()
		b.init(avx512)
	}, b.super512)
	gemv(avx2, "gemv"+b.name, superBytes, blockBytes, func() {
		ones16 = avx2.dwords(0x00010001)
		b.init(avx2)
	}, b.super256)
}

func (b *byteWeights) super512(r rows, a Register, f VecVirtual) {
	var dots [2]VecVirtual
	for q := range dots { // 4 blocks
		var pair [2]VecVirtual
		for p := range pair {
			o := 2*q + p // vector of activations, two blocks
			act, v := ZMM(), avx512.regs(4)
			VMOVDQU32(at(a, 64*o), act)
			for i := range v {
				x := ZMM()
				b.load(avx512, r, i, o, x)
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
	for q, d := range dots {
		b.finish512(r, a, q, d, b.row4(b.blocks, r, q, nil), f)
	}
}

// super256 moves a signed weight's sign to the activation: |w| times the signed a is at most 128*127 a product, so that the
// pairwise sums of VPMADDUBSW stay within 16 bits.
func (b *byteWeights) super256(r rows, a Register, f VecVirtual) {
	for p := range 4 { // 2 blocks
		var sums [2]VecVirtual
		for h := range sums {
			act, v, tmp := YMM(), avx2.regs(4), YMM()
			VMOVDQU(at(a, 64*p+32*h), act)
			for i := range v {
				b.load(avx2, r, i, 2*p+h, v[i])
				if b.signed {
					signedProducts(act, v[i], tmp)
				} else {
					VPMADDUBSW(act, v[i], v[i])
				}
				VPMADDWD(ones16, v[i], v[i])
			}
			laneSums(avx2, v, tmp)
			sums[h] = v[0]
		}
		low, high := YMM(), YMM()
		VPERM2I128(Imm(0x20), sums[1], sums[0], low)
		VPERM2I128(Imm(0x31), sums[1], sums[0], high)
		VPADDD(low, high, high)
		b.add256(r, a, p, high, b.signed, f)
	}
}
