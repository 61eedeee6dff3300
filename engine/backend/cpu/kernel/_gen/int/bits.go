package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Q1_0 and Q2_0: a float16 scale and 16 bytes with 1 bit for 128 weights, or 2 bits for 64, in order. As unsigned bytes the
// weights are larger by 1: 0 or 2, or 0 to 3. The kernels take the scale for each 32 of them.
type bitsType struct {
	name string
	bits int // of a weight
	mask VecVirtual
}

var (
	q10Type = bitsType{name: "Q10", bits: 1}
	q20Type = bitsType{name: "Q20", bits: 2}
)

const bitsBytes = 18 // of a block

func (b *bitsType) superBytes() int { return bitsBytes * 2 * b.bits }

func (b *bitsType) kernels() {
	k := byteWeights{&blocks{name: b.name, bytes: bitsBytes, scaleReader: b}, false, b.init, b.load}
	k.rowKernels(b.superBytes())
	for _, w := range widths {
		b.unpack(w)
	}
}

func (b *bitsType) init(w width) {
	if b.bits == 2 {
		b.mask = w.dwords(0x03030303)
		return
	}
	b.mask = w.dwords(0x02020202)
	if w == avx2 {
		signBits()
	}
}

// load expands vector o of row i.
func (b *bitsType) load(w width, r rows, i, o int, x VecVirtual) {
	per := 128 / b.bits // weights of a block
	first := w.bytes() * o
	from := r.at(i, first/per*bitsBytes+2+first%per*b.bits/8)
	switch {
	case b.bits == 1 && w == avx512:
		KMOVQ(from, K5)
		VMOVDQU8_Z(b.mask, K5, x)
	case b.bits == 1:
		signMask(from, x)
		VPAND(b.mask, x, x)
	case w == avx512:
		VPMOVZXBD(from, x)
		VPMULTISHIFTQB(x, table512("spreadBits", repeat(8, 0, 2, 4, 6, 32, 34, 36, 38)), x)
		VPANDD(b.mask, x, x)
	default: // digits 0 and 1 to bytes 0 and 1 of 16 bits, then those of the upper 2 bytes the same
		t := YMM()
		VPMOVZXBD(from, x)
		VPSLLD(Imm(12), x, t)
		VPOR(t, x, x)
		VPSLLD(Imm(6), x, t)
		VPOR(t, x, x)
		VPAND(b.mask, x, x)
	}
}

func (b *bitsType) setup(width, *blocks) {}

// pair reads the scales of blocks first and first+1 of 4 rows to the lanes of a vector.
func (b *bitsType) pair(r rows, first int) VecVirtual {
	s := YMM()
	VPXORD(s.AsX(), s.AsX(), s.AsX())
	for i := range 8 {
		VPINSRW(Imm(uint64(i)), r.at(i%4, bitsBytes*(first+i/4)), s.AsX(), s.AsX())
	}
	VCVTPH2PS(s.AsX(), s)
	return s
}

func (b *bitsType) row4(_ *blocks, r rows, q int, _ []VecVirtual) VecVirtual {
	s := ZMM()
	if b.bits == 2 { // blocks of 64: lanes 0, 0, 1, 1
		pair := b.pair(r, 2*q)
		VSHUFF64X2(Imm(0x50), pair.AsZ(), pair.AsZ(), s)
		return s
	}
	pair := b.pair(r, 0)
	VSHUFF64X2(Imm([]uint64{0, 0x55}[q]), pair.AsZ(), pair.AsZ(), s)
	return s
}

func (b *bitsType) row2(_ *blocks, r rows, p int) VecVirtual {
	d := fourScales(avx2, r, bitsBytes*(2*p*32*b.bits/128))
	s := YMM()
	VINSERTI128(Imm(1), d, d.AsY(), s)
	return s
}

func (b *bitsType) column(*unpacker, int) VecVirtual {
	panic("not used: panels are made of expanded rows")
}

// unpack writes the unpack kernel: weights as unsigned bytes, less 1 for AVX2, and 8 rows of scales.
func (b *bitsType) unpack(w width) {
	one := func() VecVirtual { return avx2.dwords(0x01010101) }
	expandedPanel(w, "unpack"+b.name, 8, func() { b.init(avx2) }, func(src, dst Register) {
		r := rows{base: []Register{src}}
		x, less := YMM(), one()
		for o := range 8 {
			b.load(avx2, r, 0, o, x)
			if w == avx2 {
				VPSUBB(less, x, x)
			}
			VMOVDQU(x, at(dst, 32*o))
		}
		for block := range 2 * b.bits {
			d, n := XMM(), 4/b.bits
			VPXOR(d, d, d)
			VPINSRW(Imm(0), at(src, bitsBytes*block), d, d)
			VCVTPH2PS(d, d)
			for j := range n {
				VMOVSS(d, at(dst, expandedScales+4*(n*block+j)))
			}
		}
	})
}
