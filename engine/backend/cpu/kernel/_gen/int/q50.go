package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Q5_0: 32 weights of 5 bits, larger by 16; the fifth bits are a dword of their own, bit i for weight i.
var q50Type = nibbleType{blocks: blocks{name: "Q50", bytes: 22, scaleReader: &halfScale{}}, at: 6, values: &fifthBits{at: 2}}

type fifthBits struct {
	at          int // where the dword is in the block
	low, high   VecVirtual
	bits, bit16 VecVirtual
	dword       VecVirtual // of all rows, in panels
}

func (f *fifthBits) signedRows() bool  { return false }
func (f *fifthBits) signedPanel() bool { return true }

// Tables: the dword's bytes for weights 0 to 15 and 16 to 31, the bit of each, and 16.
func (f *fifthBits) lowTable() Mem {
	return table("fifthLow", repeat(4, append(repeat(8, 0), repeat(8, 1)...)...))
}
func (f *fifthBits) highTable() Mem {
	return table("fifthHigh", repeat(4, append(repeat(8, 2), repeat(8, 3)...)...))
}
func (f *fifthBits) bitTable() Mem   { return table("fifthBit", repeat(8, 1, 2, 4, 8, 16, 32, 64, 128)) }
func (f *fifthBits) bit16Table() Mem { return table("fifth16", repeat(64, 16)) }

func (f *fifthBits) setup(w width, _ *nibbleType, panel bool) {
	if panel {
		f.dword = w.reg()
		return
	}
	if w == avx2 {
		return
	}
	load := func(from Mem) VecVirtual {
		v := ZMM()
		VMOVDQU32(from, v)
		return v
	}
	f.low, f.high = load(f.lowTable()), load(f.highTable())
	f.bits, f.bit16 = load(f.bitTable()), load(f.bit16Table())
}

func (f *fifthBits) row(w width, t *nibbleType, r rows, i, first int, low, high, tmp VecVirtual) {
	x := w.reg()
	w.lanes(r.at(i, t.bytes*first+f.at), tmp)
	for j := 1; j < int(w); j++ {
		w.insert(j, r.at(i, t.bytes*(first+j)+f.at), tmp)
	}
	if w == avx512 {
		for _, h := range [][2]VecVirtual{{f.low, low}, {f.high, high}} {
			VPSHUFB(h[0], tmp, x)
			VPTESTMB(f.bits, x, K5)
			VPADDB(f.bit16, h[1], K5, h[1])
		}
		return
	}
	add := func(from Mem, to VecVirtual) {
		VPSHUFB(from, tmp, x)
		VPAND(f.bitTable(), x, x)
		VPCMPEQB(f.bitTable(), x, x)
		VPAND(f.bit16Table(), x, x)
		VPOR(x, to, to)
	}
	add(f.lowTable(), low)
	add(f.highTable(), high)
}

func (f *fifthBits) column(u *unpacker, t *nibbleType) {
	u.columns(u.width, f.at, u.v, u.tmp)
	u.mov(u.v[0], f.dword)
}

func (f *fifthBits) step(u *unpacker, step int, v VecVirtual) {
	x := u.tmp[1]
	VPSRLD(Imm(uint64(4*step)), f.dword, x)
	u.and(table("fifthFour", repeat(16, 15, 0, 0, 0)), x, x)
	VPMULLD(table("fifthSpread", repeat(16, 0x81, 0x40, 0x20, 0)), x, x) // a bit to each byte
	u.and(table("fifthOne", repeat(64, 1)), x, x)
	VPSLLD(Imm(4), x, x)
	u.or(x, v, v)
	if u.width == avx2 {
		VPSUBB(f.bit16Table(), v, v)
	}
}
