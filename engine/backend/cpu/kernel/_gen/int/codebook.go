package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// IQ4_NL and MXFP4: 4 bits that stand for one of 16 integers. AVX-512 takes them unsigned, larger by an offset; AVX2 signed.

var iq4nlType = nibbleType{blocks: blocks{name: "IQ4NL", bytes: 18, scaleReader: &halfScale{}}, at: 2, values: &iq4nlBook}

var mxfp4Type = nibbleType{blocks: blocks{name: "MXFP4", bytes: 17, scaleReader: &powerScale{}}, at: 1, values: &codebook{
	integers: [16]int8{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}, offset: 12,
}}

var iq4nlBook = codebook{
	integers: [16]int8{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}, offset: 128,
}

type codebook struct {
	integers [16]int8
	offset   int
	v        VecVirtual
}

func (c *codebook) signedRows() bool { return true }

func (c *codebook) setup(w width, _ *nibbleType, _ bool) { c.v = c.vector(w) }

// vector holds the integers in every lane.
func (c *codebook) vector(w width) VecVirtual {
	name, offset, v := "codebook", 0, w.reg()
	if w == avx512 {
		name, offset = "codebookUnsigned", c.offset
	}
	var b []byte
	for _, i := range c.integers {
		b = append(b, byte(int(i)+offset))
	}
	w.lanes(table(name, b), v)
	return v
}

func (c *codebook) row(_ width, _ *nibbleType, _ rows, _, _ int, low, high, _ VecVirtual) {
	VPSHUFB(low, c.v, low)
	VPSHUFB(high, c.v, high)
}

func (c *codebook) column(*unpacker, *nibbleType) {}

func (c *codebook) step(_ *unpacker, _ int, v VecVirtual) { VPSHUFB(v, c.v, v) }

// powerScale is a byte e at the start of the block that stands for 2^(e-128).
type powerScale struct{ order VecVirtual }

func (p *powerScale) setup(w width, b *blocks) {
	if w != avx512 {
		return
	}
	var order []byte
	for j := range 4 {
		order = append(order, repeat(4, byte(b.bytes*j), 0)...)
	}
	p.order = ZMM()
	VMOVDQU32(table("scales", append(order, make([]byte, 32)...)), p.order)
	for i, k := range laneMasks {
		c := GP32()
		MOVL(U32(0x01010101<<(2*i)), c)
		KMOVD(c, k)
	}
}

func (p *powerScale) row4(b *blocks, r rows, q int) VecVirtual {
	s := ZMM()
	VPERMB_Z(r.at(0, 4*b.bytes*q), p.order, laneMasks[0], s)
	for i := 1; i < 4; i++ {
		VPERMB(r.at(i, 4*b.bytes*q), p.order, laneMasks[i], s)
	}
	VPMOVZXWD(s.AsY(), s)
	return power(s, ZMM())
}

func (p *powerScale) row2(b *blocks, r rows, pair int) VecVirtual {
	s := zeroed(avx2)
	for i := range 8 {
		VPINSRB(Imm(uint64(i)), r.at(i%4, b.bytes*(2*pair+i/4)), s.AsX(), s.AsX())
	}
	VPMOVZXBD(s.AsX(), s)
	return power(s, YMM())
}

func (p *powerScale) column(u *unpacker, group int) VecVirtual {
	x, y := XMM(), YMM()
	VMOVDQU(u.at(group, 0), x) // byte 0 is what counts
	for i := 1; i < 8; i++ {
		VPINSRB(Imm(uint64(i)), u.at(group+i, 0), x, x)
	}
	VPMOVZXBD(x, y)
	return power(y, YMM())
}

// power turns dwords e into the floats 2^(e-128), as two factors that are both in range.
func power(e, tmp VecVirtual) VecVirtual {
	bias := table("powerBias", repeat(16, 63, 0, 0, 0))
	VPSRLD(Imm(1), e, tmp)
	VPSUBD(tmp, e, e)
	for _, v := range []VecVirtual{e, tmp} {
		VPADDD(bias, v, v)
		VPSLLD(Imm(23), v, v)
	}
	VMULPS(tmp, e, e)
	return e
}
