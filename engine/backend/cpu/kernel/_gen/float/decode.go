package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// blockType is a type of blocks of 32 numbers, a half-precision scale in front. The layouts are drawn in package quant.
type blockType struct {
	name              string
	size              int // in bytes
	min, high, quants int // offsets of the minimum and of the fifth bits (0: none), and of the numbers
	unpack            func(d *decoder) VecVirtual
}

var blockTypes = []blockType{
	{"Q8_0", 34, 0, 0, 2, nil},
	{"Q4_0", 18, 0, 0, 2, func(d *decoder) VecVirtual { return d.minus(d.nibbles(), 8) }},
	{"Q4_1", 20, 2, 0, 4, (*decoder).nibbles},
	{"Q5_0", 22, 0, 2, 6, func(d *decoder) VecVirtual { return d.minus(d.fiveBits(), 16) }},
	{"Q5_1", 24, 2, 4, 8, (*decoder).fiveBits},
	{"IQ4_NL", 18, 0, 0, 2, func(d *decoder) VecVirtual { return d.steps(d.nibbles()) }},
}

// decodePart emits the conversions of blocks to float32: integer times scale, plus the minimum where there is one, each rounded.
func decodePart() {
	for _, v := range tiers {
		for _, t := range blockTypes {
			text("decode"+t.name+v.name, "func(dst *float32, src *byte, blocks, ahead int)",
				"Converts blocks of 32 numbers, "+t.name+"; there is one at least. What is ahead bytes on is prefetched.")
			(&decoder{isa: v, blockType: t}).emit()
		}
	}
}

type decoder struct {
	isa
	blockType
	src        Register
	scale, add VecVirtual
}

func (d *decoder) emit() {
	dst, n := Load(Param("dst"), GP64()), Load(Param("blocks"), GP64())
	d.src = Load(Param("src"), GP64())
	ahead := Load(Param("ahead"), GP64())
	Label("block")
	PREFETCHT1(indexed(d.src, ahead, 1))
	d.scale = d.half(0)
	if d.min > 0 {
		d.add = d.half(d.min)
	}
	if d.unpack == nil {
		for i := 0; i < 32; i += d.lanes {
			r := d.reg()
			VPMOVSXBD(at(d.src, d.quants+i), r)
			d.put(r, at(dst, 4*i))
		}
	} else {
		d.widen(d.unpack(d), dst)
	}
	ADDQ(Imm(uint64(d.size)), d.src)
	ADDQ(Imm(4*32), dst)
	DECQ(n)
	JNZ(LabelRef("block"))
	end()
}

// half returns the half-precision number of the block at disp, in all lanes.
func (d *decoder) half(disp int) VecVirtual {
	w, r := GP32(), d.reg()
	MOVWLZX(at(d.src, disp), w)
	VMOVD(w, r.AsX())
	VCVTPH2PS(r.AsX(), r.AsX())
	VBROADCASTSS(r.AsX(), r)
	return r
}

// put scales a vector of integers and stores it.
func (d *decoder) put(r VecVirtual, m Mem) {
	VCVTDQ2PS(r, r)
	VMULPS(d.scale, r, r)
	if d.min > 0 {
		VADDPS(d.add, r, r)
	}
	VMOVUPS(r, m)
}

// widen stores 32 signed bytes.
func (d *decoder) widen(q VecVirtual, dst Register) {
	high := XMM()
	VEXTRACTI128(Imm(1), q, high)
	for half, x := range []VecVirtual{q.AsX().(VecVirtual), high} {
		for i := 0; i < 16; i += d.lanes {
			if i > 0 {
				VPSRLDQ(Imm(8), x, x)
			}
			r := d.reg()
			VPMOVSXBD(x, r)
			d.put(r, at(dst, 4*(16*half+i)))
		}
	}
}

// nibbles returns the low halves of 16 bytes, then the high ones.
func (d *decoder) nibbles() VecVirtual {
	q, high := YMM(), XMM()
	VMOVDQU(at(d.src, d.quants), q.AsX())
	VPSRLW(Imm(4), q.AsX(), high)
	VINSERTI128(Imm(1), high, q, q)
	VPAND(u32(0x0f0f0f0f), q, q)
	return q
}

// fiveBits is nibbles with the fifth bits: each byte of a mask picks its bit out of a copy of the byte that holds it.
func (d *decoder) fiveBits() VecVirtual {
	q, bits := d.nibbles(), YMM()
	spread := table32("fifthByte", []uint32{0, 0, 0x01010101, 0x01010101, 0x02020202, 0x02020202, 0x03030303, 0x03030303})
	mask := table32("fifthBit", []uint32{0x08040201, 0x80402010, 0x08040201, 0x80402010, 0x08040201, 0x80402010, 0x08040201, 0x80402010})
	VPBROADCASTD(at(d.src, d.high), bits)
	VPSHUFB(spread, bits, bits)
	VPAND(mask, bits, bits)
	VPCMPEQB(mask, bits, bits)
	VPAND(u32(0x10101010), bits, bits)
	VPOR(bits, q, q)
	return q
}

func (d *decoder) minus(q VecVirtual, n uint32) VecVirtual {
	VPSUBB(u32(n*0x01010101), q, q)
	return q
}

// steps looks up IQ4_NL's codebook.
func (d *decoder) steps(q VecVirtual) VecVirtual {
	t, r := table32("steps4", []uint32{0xbfad9881, 0xf6eaddcf, 0x26190d01, 0x71594535, 0xbfad9881, 0xf6eaddcf, 0x26190d01, 0x71594535}), YMM()
	VMOVDQU(t, r)
	VPSHUFB(q, r, r)
	return r
}
