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

func (c *codebook) row(w width, _ *nibbleType, _ rows, _, _ int, v, low, _ VecVirtual) {
	lookUp4(w, c.v, v, low, nibbleMask)
}

// lookUp4 turns bytes of two numbers into weights: those of the low halves go to low, of the high halves to v. AVX-512 looks 6 bits
// up, in 4 copies of the codebook, so that it does not matter what the upper 2 are.
func lookUp4(w width, book, v, low VecVirtual, mask Op) {
	if w == avx512 {
		VPERMB(book, v, low)
		VPSRLW(Imm(4), v, v)
		VPERMB(book, v, v)
		return
	}
	nibbles(w, v, low, mask)
	VPSHUFB(low, book, low)
	VPSHUFB(v, book, v)
}

func (c *codebook) column(*unpacker, *nibbleType) {}

func (c *codebook) step(_ *unpacker, _ int, v VecVirtual) { VPSHUFB(v, c.v, v) }

// powerScale is a byte e at the start of the block that stands for 2^(e-128).
type powerScale struct {
	heads VecVirtual // order of the bytes of joined heads, a dword each: block by block, 4 rows each
}

func (p *powerScale) setup(w width, _ *blocks) {
	if w != avx512 {
		return
	}
	var order []byte
	for j := range byte(4) {
		for _, at := range []byte{48, 50, 112, 114} { // rows 0 to 3
			order = append(order, at+4*j, 0, 0, 0)
		}
	}
	p.heads = table512("headBytes", order)
	c := GP64()
	MOVQ(U64(0x1111111111111111), c)
	KMOVQ(c, laneMasks[0])
}

func (p *powerScale) row4(_ *blocks, _ rows, _ int, heads []VecVirtual) VecVirtual {
	joinHeads(heads)
	VPERMT2B_Z(heads[2], p.heads, laneMasks[0], heads[0])
	return power(heads[0], ZMM())
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

// power turns dwords e into the floats 2^(e-128). The first two are denormal: bits of their own, which are less than others'.
func power(e, tmp VecVirtual) VecVirtual {
	VPSLLD(Imm(21), e, tmp)
	VPADDD(table("powerDenormal", repeat(16, 0, 0, 0x20, 0)), tmp, tmp)
	VPSLLD(Imm(23), e, e)
	VPSUBD(table("powerBias", repeat(16, 0, 0, 0x80, 0)), e, e)
	VPMAXSD(tmp, e, e)
	return e
}
