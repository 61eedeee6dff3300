package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A superblock of IQ4_XS: a float16 scale, the high 2 bits of 8 group scales, their low 4 bits, and 8 groups of 16 bytes as
// IQ4_NL's. A group's scale is those 6 bits less 32.
const (
	iq4xsBytes = 136
	iq4xsBits4 = 8

	iq4xsScales = panelEnd        // in the panel: 8 x 32 int32
	iq4xsD      = panelEnd + 1024 // 32 float32
)

func iq4xs() {
	gemv(avx512, "gemvIQ4XS", iq4xsBytes, act32Bytes, iq4xsSetup512, iq4xsSuper512)
	gemv(avx2, "gemvIQ4XS", iq4xsBytes, act32Bytes, iq4xsSetup256, iq4xsSuper256)
	for _, w := range widths {
		unpackIQ4XS(w)
	}
	tileIQ4XS512("gemmIQ4XSx6", 6)
	tileIQ4XS512("gemmIQ4XSx4", 4)
	tileIQ4XS256("gemmIQ4XSx2", 2)
}

// unpackIQ4XS makes a panel of unsigned weights, larger by 128, for AVX-512 and signed ones for AVX2. The header's dwords
// are {d, high bits} and the low bits.
func unpackIQ4XS(w width) {
	var mask, book VecVirtual
	unpack(w, "unpackIQ4XS", func(u *unpacker) {
		u.columns(w, 0, u.v, u.tmp)
		x, y := u.tmp[0], u.tmp[1]
		m4, m2, bias := w.dwords(15), w.dwords(0x30), w.dwords(32)
		for j := range 8 {
			VPSRLD(Imm(uint64(4*j)), u.v[1], x)
			w.and(m4, x, x)
			VPSRLD(Imm(uint64(12+2*j)), u.v[0], y)
			w.and(m2, y, y)
			w.or(y, x, x)
			VPSUBD(bias, x, x)
			w.mov(x, at(u.panel, iq4xsScales+panelStep*j))
		}
		halves(w, u.v[0], x, false, w.dwords(0xffff))
		w.mov(x, at(u.panel, iq4xsD))
		mask, book = w.dwords(0x0f0f0f0f), iq4nlBook.vector(w)
	}, 8, 16, 8*panelStep, func(u *unpacker) {
		u.columns(w, iq4xsBits4, u.v, u.tmp)
		for i, v := range u.v {
			nibbles(w, v, u.tmp[0], mask)
			VPSHUFB(u.tmp[0], book, u.tmp[0])
			u.store(u.tmp[0], i)
			VPSHUFB(v, book, v)
			u.store(v, 4+i)
		}
	})
}

// tileIQ4XS512 keeps the sum of a superblock in integers; a group's needs 32-bit products with the scale.
func tileIQ4XS512(name string, tokens int) {
	k := newTile(avx512, name, tokens)
	s, j, c := GP64(), GP64(), GP64()
	Label("tile")
	k.clear(k.f)
	MOVQ(k.panel, k.p)
	MOVQ(k.act, k.a)
	LEAQ(at(k.act, act32Centre), c)
	LEAQ(at(k.panel, iq4xsScales), s)
	MOVQ(U32(8), j)
	Label("group")
	k.centre(c, 0)
	for step := range 8 {
		k.dot4(step)
	}
	for h := range k.w {
		k.mov(k.row(s, 0, h), k.w[h])
	}
	k.scaleDwords(func(h int) Op { return k.w[h] })
	ADDQ(U32(4), c)
	k.nextGroup(8, s, j)
	k.scaleStore(iq4xsD, act32Scale)
}

// scaleDwords adds t times the scales to f.
func (k *tile) scaleDwords(scale func(h int) Op) {
	k.each(func(i, h int) {
		VPMULLD(scale(h), k.t[i][h], k.t[i][h])
		VPADDD(k.t[i][h], k.f[i][h], k.f[i][h])
	})
}

// nextGroup goes to the next group of so many steps.
func (k *tile) nextGroup(steps int, scales, count Register) {
	ADDQ(U32(uint32(steps*panelStep)), k.p)
	ADDQ(U32(uint32(4*steps)), k.a)
	ADDQ(U32(panelStep), scales)
	DECQ(count)
	JNZ(LabelRef("group"))
}

func tileIQ4XS256(name string, tokens int) {
	k := newTile(avx2, name, tokens)
	s, j := GP64(), GP64()
	one, abs, x := k.dwords(0x00010001), k.regs(2), k.reg()
	Label("tile")
	k.clear(k.f)
	MOVQ(k.panel, k.p)
	MOVQ(k.act, k.a)
	LEAQ(at(k.panel, iq4xsScales), s)
	MOVQ(U32(8), j)
	Label("group")
	k.dotSigned(one, abs, x)
	k.scaleDwords(func(h int) Op { return k.row(s, 0, h) })
	k.nextGroup(8, s, j)
	k.scaleStore(iq4xsD, act32Scale)
}

var iq4xsConst struct {
	mask, book      VecVirtual
	spread          [2]VecVirtual // dwords with 4 times each of the numbers of a half's 4 blocks
	low, high       [2]VecVirtual // shifts that bring a group's bits to its lane
	m4, m2, bias    VecVirtual
	lowTab, highTab Mem
	scales          Mem
}

func iq4xsSetup512() {
	c := &iq4xsConst
	c.book = iq4nlBook.vector(avx512)
	c.m4, c.m2, c.bias = avx512.dwords(15), avx512.dwords(0x30), avx512.dwords(32)
	for h := range c.spread {
		var s []byte
		for j := range 4 {
			s = append(s, repeat(4, byte(4*h+j), 0, 0, 0)...)
		}
		c.spread[h] = table512([]string{"spread0", "spread1"}[h], s)
	}
	for h := range 2 {
		var low, high []byte
		for j := range byte(4) {
			low = append(low, repeat(4, 4*(4*byte(h)+j), 0, 0, 0)...)
			high = append(high, repeat(4, 12+2*(4*byte(h)+j), 0, 0, 0)...)
		}
		c.low[h], c.high[h] = ZMM(), ZMM()
		VMOVDQU32(table([]string{"low0", "low1"}[h], low), c.low[h])
		VMOVDQU32(table([]string{"high0", "high1"}[h], high), c.high[h])
	}
	k := GP32()
	MOVL(U32(0x1111), k)
	KMOVD(k, K1)
}

func iq4xsSuper512(r rows, a Register, f VecVirtual) {
	c := &iq4xsConst
	var low, high, centre [2]VecVirtual
	for h := range 2 { // 4 groups: lane j is group 4*h+j
		a0, a1 := ZMM(), ZMM()
		low[h], high[h], centre[h] = ZMM(), ZMM(), ZMM()
		VMOVDQU32(at(a, 128*h), a0)
		VMOVDQU32(at(a, 128*h+64), a1)
		VSHUFI32X4(Imm(0x88), a1, a0, low[h])
		VSHUFI32X4(Imm(0xdd), a1, a0, high[h])
		VPERMD_Z(at(a, act32Centre), c.spread[h], K1, centre[h])
	}
	acc := avx512.regs(4)
	for i := range acc {
		bits2, bits4 := ZMM(), ZMM()
		VPBROADCASTD(r.at(i, 0), bits2)
		VPBROADCASTD(r.at(i, 4), bits4)
		for h := range 2 {
			x, lo, s, t := ZMM(), ZMM(), ZMM(), ZMM()
			VPSRLVD(c.low[h], bits4, s)
			VPANDD(c.m4, s, s)
			VPSRLVD(c.high[h], bits2, t)
			VPTERNLOGD(Imm(0xf8), c.m2, t, s) // s | t & m2
			VPSUBD(c.bias, s, s)
			VMOVDQU32(r.at(i, iq4xsBits4+64*h), x)
			lookUp4(avx512, c.book, x, lo, nil)
			VMOVDQA32(centre[h], t)
			VPDPBUSD(low[h], lo, t)
			VPDPBUSD(high[h], x, t)
			if h == 0 {
				VPMULLD(s, t, acc[i])
			} else {
				VPMULLD(s, t, t)
				VPADDD(t, acc[i], acc[i])
			}
		}
	}
	scaleFinish(sums(avx512, acc, ZMM()), fourScales(avx512, r, 0), at(a, act32Scale), f)
}

func iq4xsSetup256() {
	c := &iq4xsConst
	c.mask, c.book = avx2.dwords(0x0f0f0f0f), iq4nlBook.vector(avx2)
	c.lowTab = table("low", u32s(0, 4, 8, 12, 16, 20, 24, 28))
	c.highTab = table("high", u32s(12, 14, 16, 18, 20, 22, 24, 26))
	c.scales = AllocLocal(128)
}

func iq4xsSuper256(r rows, a Register, f VecVirtual) {
	c := &iq4xsConst
	ones := table("ones16", repeat(16, 1, 0))
	acc := avx2.regs(4)
	for i := range acc {
		x, y := YMM(), YMM()
		VPBROADCASTD(r.at(i, 4), x)
		VPSRLVD(c.lowTab, x, x)
		VPAND(table("four", u32s(15, 15, 15, 15, 15, 15, 15, 15)), x, x)
		VPBROADCASTD(r.at(i, 0), y)
		VPSRLVD(c.highTab, y, y)
		VPAND(table("two", u32s(48, 48, 48, 48, 48, 48, 48, 48)), y, y)
		VPOR(y, x, x)
		VPSUBD(table("bias", u32s(32, 32, 32, 32, 32, 32, 32, 32)), x, x)
		VMOVDQU(x, c.scales.Offset(32*i))
		avx2.zero(acc[i])
	}
	for p := range 4 { // 2 groups, one a lane
		low, high, x, lo, s, t := YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
		VMOVDQU(at(a, 64*p), t)
		VPERM2I128(Imm(0x20), at(a, 64*p+32), t, low)
		VPERM2I128(Imm(0x31), at(a, 64*p+32), t, high)
		for i := range acc {
			VMOVDQU(r.at(i, iq4xsBits4+32*p), x)
			nibbles(avx2, x, lo, c.mask)
			for _, v := range [][2]VecVirtual{{lo, low}, {x, high}} {
				VPSHUFB(v[0], c.book, v[0])
				signedProducts(v[1], v[0], t)
				VPMADDWD(ones, v[0], v[0])
			}
			VPADDD(lo, x, x)
			VPBROADCASTD(c.scales.Offset(32*i+8*p), s)
			VPBROADCASTD(c.scales.Offset(32*i+8*p+4), t)
			VPBLENDD(Imm(0xf0), t, s, s)
			VPMULLD(s, x, x)
			VPADDD(x, acc[i], acc[i])
		}
	}
	scaleFinish(sums(avx2, acc, YMM()), fourScales(avx2, r, 0), at(a, act32Scale), f)
}
