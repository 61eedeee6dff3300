package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Q5_0: 32 weights of 5 bits, larger by 16; the fifth bits are a dword of their own, bit i for weight i. Q5_1: as they are,
// with a min.
var (
	q50Type = nibbleType{
		blocks: blocks{name: "Q50", bytes: 22, scaleReader: &halfScale{}}, at: 6, values: &fifthBits{at: 2, signed: true},
	}
	q51Type = nibbleType{
		blocks: blocks{name: "Q51", bytes: 24, scaleReader: &halfScale{}, mins: &halfScale{at: 2}}, at: 8, values: &fifthBits{at: 4},
	}
)

func q51() {
	q51Type.kernels()
	tileQ51("gemmQ51x2", 2)
}

type fifthBits struct {
	at          int  // where the dword is in the block
	signed      bool // AVX2 panels have signed weights
	low, high   VecVirtual
	bits, bit16 VecVirtual
	dword       VecVirtual // of all rows, in panels
}

func (f *fifthBits) signedRows() bool { return false }

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

func (f *fifthBits) row(w width, t *nibbleType, r rows, i, first int, v, low, tmp VecVirtual) {
	nibbles(w, v, low, nibbleMask)
	x := w.reg()
	w.lanes(r.at(i, t.bytes*first+f.at), tmp)
	for j := 1; j < int(w); j++ {
		w.insert(j, r.at(i, t.bytes*(first+j)+f.at), tmp)
	}
	if w == avx512 {
		for _, h := range [][2]VecVirtual{{f.low, low}, {f.high, v}} {
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
	add(f.highTable(), v)
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
	if u.width == avx2 && f.signed {
		VPSUBB(f.bit16Table(), v, v)
	}
}

// tileQ51 is the panel kernel for AVX2: 8 products of at most 31*127 fit 16 bits.
func tileQ51(name string, tokens int) {
	k := newTile(avx2, name, tokens)
	s, j, c := GP64(), GP64(), GP64()
	x := k.reg()
	var sum [][2]VecVirtual
	for range tokens {
		sum = append(sum, [2]VecVirtual{k.reg(), k.reg()})
	}
	one := table("ones16", repeat(16, 1, 0))
	Label("tile")
	k.load()
	MOVQ(k.panel, k.p)
	MOVQ(k.act, k.a)
	LEAQ(at(k.act, blockScale), c)
	LEAQ(at(k.panel, panelEnd), s)
	MOVQ(U32(8), j)
	Label("group")
	k.dotWords(0, 4, x)
	k.each(func(i, h int) { VPMADDWD(one, k.t[i][h], sum[i][h]) })
	k.dotWords(4, 4, x)
	k.each(func(i, h int) {
		t := k.t[i][h]
		VPMADDWD(one, t, t)
		VPADDD(sum[i][h], t, t)
	})
	for i := range tokens {
		k.scaleActs(c, i)
		for h := range 2 {
			VFMADD231PS(k.row(s, 0, h), k.t[i][h], k.f[i][h])
		}
	}
	k.blockMins(s, c)
	ADDQ(U32(4), c)
	k.nextGroup(8, s, j)
	k.storeSums()
	k.next()
}
