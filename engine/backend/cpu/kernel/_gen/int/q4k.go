package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A superblock of Q4_K: float16 scale d and dmin, 12 bytes with 8 scales and 8 mins of 6 bits, 128 bytes of weights
// of 4 bits: of every 32 bytes the low halves are one group of 32 weights and the high halves the next.
const q4kBytes = 144

// The end of its panel. The scales are as the tier multiplies them: {s, 0} for AVX-512, {s, s} for AVX2.
const (
	q4kScales = panelEnd        // 8 x 32 dwords
	q4kMins   = panelEnd + 1024 // 4 x 32 {min of group 2j, of 2j+1}
	q4kD      = panelEnd + 1536 // 32 float32
	q4kDmin   = panelEnd + 1664 // 32 float32
	q4kBack   = panelEnd + 1792 // 4 x 32 {8s, 8s}, for AVX-512
)

func q4k() {
	gemv(avx512, "gemvQ4K", q4kBytes, act32Bytes, q4kSetup512, q4kSuper512)
	gemv(avx2, "gemvQ4K", q4kBytes, act32Bytes, q4kSetup256, q4kSuper256)
	for _, w := range widths {
		unpackQ4K(w)
	}
	tileQ4K512("gemmQ4Kx6", 6)
	tileQ4K512("gemmQ4Kx4", 4)
	tileQ4K256("gemmQ4Kx3", 3)
	tileQ4K256("gemmQ4Kx2", 2)
}

// unpackQ4K makes a panel. The header's dwords are {d, dmin} and the three of the packed scales.
func unpackQ4K(w width) {
	var mask VecVirtual
	unpack(w, "unpackQ4K", func(u *unpacker) {
		u.columns(w, 0, u.v, u.tmp)
		q4kHeader(w, u.v, u.tmp, u.panel)
		mask = w.dwords(0x0f0f0f0f)
	}, 4, 32, 16*panelStep, func(u *unpacker) {
		for c := range 2 {
			u.columns(w, 16+16*c, u.v, u.tmp)
			for i, v := range u.v {
				nibbles(w, v, u.tmp[0], mask)
				u.store(u.tmp[0], 4*c+i)
				u.store(v, 8+4*c+i)
			}
		}
	})
}

// q4kHeader writes the end of the panel.
func q4kHeader(w width, h, tmp []VecVirtual, panel Register) {
	m6, m4, m2, m16 := w.dwords(0x3f), w.dwords(0x0f), w.dwords(0x30), w.dwords(0xffff)
	halves(w, h[0], tmp[0], true, m16)
	w.mov(tmp[0], at(panel, q4kDmin))
	halves(w, h[0], tmp[0], false, m16)
	w.mov(tmp[0], at(panel, q4kD))
	// field is 6-bit number j of word lo; numbers 4 to 7 have their low 4 bits in hi, from bit shift on.
	field := func(j int, lo, hi VecVirtual, shift int, dst, t VecVirtual) {
		if j < 4 {
			VPSRLD(Imm(uint64(8*j)), lo, dst)
			w.and(m6, dst, dst)
			return
		}
		VPSRLD(Imm(uint64(8*(j-4)+shift)), hi, dst)
		w.and(m4, dst, dst)
		VPSRLD(Imm(uint64(8*(j-4)+2)), lo, t)
		w.and(m2, t, t)
		w.or(t, dst, dst)
	}
	for j := range 4 { // pairs of groups
		for i := range 2 {
			field(2*j+i, h[1], h[3], 0, tmp[i], tmp[2])
			if w == avx2 {
				VPSLLD(Imm(16), tmp[i], tmp[2])
				VPOR(tmp[i], tmp[2], tmp[2])
				w.mov(tmp[2], at(panel, q4kScales+panelStep*(2*j+i)))
				continue
			}
			w.mov(tmp[i], at(panel, q4kScales+panelStep*(2*j+i)))
		}
		if w == avx512 {
			VPSLLD(Imm(16), tmp[1], tmp[1])
			VPORD(tmp[0], tmp[1], tmp[1])
			VPSLLW(Imm(3), tmp[1], tmp[1])
			w.mov(tmp[1], at(panel, q4kBack+panelStep*j))
		}
		field(2*j, h[2], h[3], 4, tmp[0], tmp[2])
		field(2*j+1, h[2], h[3], 4, tmp[1], tmp[2])
		VPSLLD(Imm(16), tmp[1], tmp[1])
		w.or(tmp[0], tmp[1], tmp[1])
		w.mov(tmp[1], at(panel, q4kMins+panelStep*j))
	}
}

// tileQ4K512 keeps the sum of a superblock in integers. A group's sum of 32 products fits 16 bits, so that one VPDPWSSD
// multiplies it with its scale and adds it up, if either the activations are small or the weights are centred: the sum then
// starts at -8 times that of the activations, and the superblock's gets 8 * scale * sum back at its end.
func tileQ4K512(name string, tokens int) {
	k := newTile(avx512, name, tokens)
	s, j, c := GP64(), GP64(), GP64()
	sc := k.regs(2)
	groups := func() {
		for h := range sc {
			k.mov(k.row(s, 0, h), sc[h])
		}
		for step := range 8 {
			k.dot4(step)
		}
		k.each(func(i, h int) { VPDPWSSD(sc[h], k.t[i][h], k.f[i][h]) })
		ADDQ(U32(8*panelStep), k.p)
		ADDQ(U32(32), k.a)
		ADDQ(U32(panelStep), s)
	}
	Label("tile")
	k.clear(k.f)
	MOVQ(k.panel, k.p)
	MOVQ(k.act, k.a)
	LEAQ(at(k.panel, q4kScales), s)
	MOVQ(U32(8), j)
	for i := range tokens {
		CMPL(k.token(k.act, i, act32Max), U32(32767/15))
		JA(LabelRef("large"))
	}
	Label("small")
	k.clear(k.t)
	groups()
	DECQ(j)
	JNZ(LabelRef("small"))
	JMP(LabelRef("mins"))
	Label("large")
	LEAQ(at(k.act, act32Centre), c)
	Label("centred")
	k.centre(c, 0)
	groups()
	ADDQ(U32(4), c)
	DECQ(j)
	JNZ(LabelRef("centred"))
	k.sumPairs(q4kBack, k.f, sc)
	Label("mins")
	k.clear(k.t)
	k.sumPairs(q4kMins, k.t, sc)
	k.q4kStore(sc)
}

// sumPairs adds the sums of the activations times 4 rows of pairs at disp of the panel, to acc.
func (k *tile) sumPairs(disp int, acc [][2]VecVirtual, w []VecVirtual) {
	for j := range 4 {
		for h := range w {
			k.mov(k.row(k.panel, disp+panelStep*j, h), w[h])
		}
		for i := range k.tokens {
			VPBROADCASTD(k.token(k.act, i, act32Sum+4*j), k.b)
			for h := range w {
				VPDPWSSD(k.b, w[h], acc[i][h])
			}
		}
	}
}

// q4kStore ends a tile: f = d*f - dmin*t, then dst.
func (k *tile) q4kStore(d []VecVirtual) {
	for h := range d {
		VMOVUPS(k.row(k.panel, q4kD, h), d[h])
		VMOVUPS(k.row(k.panel, q4kDmin, h), k.w[h])
	}
	k.each(func(i, h int) {
		VCVTDQ2PS(k.t[i][h], k.t[i][h])
		VMULPS(k.w[h], k.t[i][h], k.t[i][h])
		VCVTDQ2PS(k.f[i][h], k.f[i][h])
		VFMSUB213PS(k.t[i][h], d[h], k.f[i][h])
	})
	k.store(act32Scale)
	k.next()
}

// tileQ4K256 sums a group's products in 16 bits, multiplies with the scale and adds up in 32.
func tileQ4K256(name string, tokens int) {
	k := newTile(avx2, name, tokens)
	s, j := GP64(), GP64()
	x := k.reg()
	Label("tile")
	k.clear(k.f)
	MOVQ(k.panel, k.p)
	MOVQ(k.act, k.a)
	LEAQ(at(k.panel, q4kScales), s)
	MOVQ(U32(8), j)
	Label("group")
	k.dotWords(x)
	k.each(func(i, h int) {
		VPMADDWD(k.row(s, 0, h), k.t[i][h], k.t[i][h])
		VPADDD(k.t[i][h], k.f[i][h], k.f[i][h])
	})
	ADDQ(U32(8*panelStep), k.p)
	ADDQ(U32(32), k.a)
	ADDQ(U32(panelStep), s)
	DECQ(j)
	JNZ(LabelRef("group"))
	for j := range 4 {
		for i := range tokens {
			VPBROADCASTD(k.token(k.act, i, act32Sum+4*j), k.b)
			for h := range 2 {
				t := k.t[i][h]
				if j > 0 {
					t = x
				}
				VPMADDWD(k.row(k.panel, q4kMins+panelStep*j, h), k.b, t)
				if j > 0 {
					VPADDD(x, k.t[i][h], k.t[i][h])
				}
			}
		}
	}
	k.q4kStore([]VecVirtual{k.b, x})
}

// The row kernels unpack the 12 bytes of scales of 4 rows (2 for AVX2) at once, to 16 bytes a row: scales 0 to 7, then mins 0
// to 7 (AVX-512), or the same in halves of 4, scales first (AVX2). Then VPSHUFB spreads a scale over the words of a group.

var q4kConst struct {
	mask                       VecVirtual
	low, high                  VecVirtual // where the bits of a byte come from: counts of VPMULTISHIFTQB
	lowMask, highMask          VecVirtual
	scales, sum                VecVirtual // orders of {d, dmin} and of the mins' sums
	spread                     [4]VecVirtual
	zero                       VecVirtual
	lowTable, highTable, shift Mem
	spreadTable                Mem
}

func q4kSetup512() {
	c := &q4kConst
	load := func(name string, b []byte) VecVirtual {
		v := ZMM()
		VMOVDQU32(table(name, b), v)
		return v
	}
	c.mask = avx512.dwords(0x0f0f0f0f)
	c.low = load("q4kLow", repeat(4, 0, 8, 16, 24, 32, 40, 48, 56, 0, 8, 16, 24, 36, 44, 52, 60))
	c.high = load("q4kHigh", repeat(4, 0, 0, 0, 0, 2, 10, 18, 26, 0, 0, 0, 0, 2, 10, 18, 26))
	c.lowMask = load("q4kLowMask", repeat(4, 63, 63, 63, 63, 15, 15, 15, 15, 63, 63, 63, 63, 15, 15, 15, 15))
	c.highMask = load("q4kHighMask", repeat(4, 0, 0, 0, 0, 48, 48, 48, 48, 0, 0, 0, 0, 48, 48, 48, 48))
	c.scales = load("q4kD", append([]byte{0, 1, 16, 17, 32, 33, 48, 49, 2, 3, 18, 19, 34, 35, 50, 51}, make([]byte, 48)...))
	c.sum = load("q4kSum", u32s(0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
	for i, g := range [][2]byte{{0, 2}, {1, 3}, {4, 6}, {5, 7}} {
		c.spread[i] = load("q4kSpread"+string(rune('0'+i)), append(repeat(16, g[0], 0x80), repeat(16, g[1], 0x80)...))
	}
	c.zero = zeroed(avx512)
}

func q4kSuper512(r rows, a Register, f VecVirtual) {
	c := &q4kConst
	head, low, high, mins := ZMM(), ZMM(), ZMM(), ZMM()
	avx512.lanes(r.at(0, 0), head)
	for i := 1; i < 4; i++ {
		avx512.insert(i, r.at(i, 0), head)
	}
	VPSHUFD(Imm(0xed), head, high) // qwords of the dwords 1, 2 and 2, 3
	VPMULTISHIFTQB(high, c.low, low)
	VPMULTISHIFTQB(high, c.high, high)
	VPANDD(c.highMask, high, high)
	VPTERNLOGD(Imm(0xea), high, c.lowMask, low) // low & lowMask | high
	VPUNPCKHBW(c.zero, low, mins)
	avx512.lanes(at(a, act32Sum), high)
	VPMADDWD(high, mins, mins)
	for _, swap := range []uint64{0x4e, 0xb1} {
		VPSHUFD(Imm(swap), mins, high)
		VPADDD(high, mins, mins)
	}
	VPERMD(mins, c.sum, mins)
	VPERMB(head, c.scales, head)
	VCVTPH2PS(head.AsX(), head.AsY())
	acts := avx512.regs(4) // in the order of the weights' bytes: groups 0 and 2, 1 and 3, 4 and 6, 5 and 7
	for i, o := range []int{0, 32, 128, 160} {
		VBROADCASTI64X4(at(a, o), acts[i])
		VINSERTI64X4(Imm(1), at(a, o+64), acts[i], acts[i])
	}
	acc := avx512.regs(4)
	for i := range acc {
		s, spread, x, lo := ZMM(), ZMM(), ZMM(), ZMM()
		VSHUFI32X4(Imm(uint64(0x55*i)), low, low, s)
		for h := range 2 {
			VMOVDQU32(r.at(i, 16+64*h), x)
			nibbles(avx512, x, lo, c.mask)
			VPMADDUBSW(acts[2*h], lo, lo)
			VPMADDUBSW(acts[2*h+1], x, x)
			VPSHUFB(c.spread[2*h], s, spread)
			if h == 0 {
				VPMADDWD(spread, lo, acc[i])
			} else {
				VPDPWSSD(spread, lo, acc[i])
			}
			VPSHUFB(c.spread[2*h+1], s, spread)
			VPDPWSSD(spread, x, acc[i])
		}
	}
	t := sums(avx512, acc, ZMM())
	VEXTRACTF32X4(Imm(1), head.AsY(), high.AsX())
	q4kFinish(t, mins.AsX(), head.AsX(), high.AsX(), a, f)
}

// q4kFinish adds a superblock of 4 rows to f: the sums t and mins are integers.
func q4kFinish(t, mins, d, dmin, a, f Register) {
	dx := XMM()
	VBROADCASTSS(at(a, act32Scale), dx)
	VCVTDQ2PS(mins, mins)
	VMULPS(dmin, mins, mins)
	VCVTDQ2PS(t, t)
	VFMSUB213PS(mins, d, t)
	VFMADD231PS(dx, t, f)
}

func q4kSetup256() {
	c := &q4kConst
	c.mask = avx2.dwords(0x0f0f0f0f)
	c.lowTable = table("q4kLow2", repeat(2, 63, 63, 63, 63, 63, 63, 63, 63, 15, 15, 15, 15, 15, 15, 15, 15))
	c.highTable = table("q4kHigh2", repeat(2, 0, 0, 0, 0, 0, 0, 0, 0, 48, 48, 48, 48, 48, 48, 48, 48))
	c.shift = table("q4kShift", u32s(0, 0, 0, 4, 0, 0, 0, 4))
	var spread []byte
	for _, g := range []byte{0, 1, 2, 3, 8, 9, 10, 11} {
		spread = append(spread, repeat(16, g, 0x80)...)
	}
	c.spreadTable = table("q4kSpread256", append(spread,
		repeat(2, 4, 0x80, 5, 0x80, 6, 0x80, 7, 0x80, 12, 0x80, 13, 0x80, 14, 0x80, 15, 0x80)...))
}

func q4kSuper256(r rows, a Register, f VecVirtual) {
	c := &q4kConst
	mins := avx2.regs(2)   // of rows 0 and 1, 2 and 3
	scales := avx2.regs(4) // of a row, in both lanes
	for p := range mins {
		head, low, high := YMM(), YMM(), YMM()
		avx2.lanes(r.at(2*p, 0), head)
		avx2.insert(1, r.at(2*p+1, 0), head)
		VPSHUFD(Imm(0xf9), head, low)  // dwords 1, 2, 3, 3
		VPSHUFD(Imm(0x90), head, high) // dwords 0, 0, 1, 2
		VPSRLVD(c.shift, low, low)
		VPAND(c.lowTable, low, low)
		VPSRLD(Imm(2), high, high)
		VPAND(c.highTable, high, high)
		VPOR(high, low, low)
		VPERMQ(Imm(0x44), low, scales[2*p])
		VPERMQ(Imm(0xee), low, scales[2*p+1])
		VPSHUFB(c.spreadTable.Offset(8*32), low, low)
		avx2.lanes(at(a, act32Sum), high)
		VPMADDWD(high, low, mins[p])
	}
	VPHADDD(mins[1], mins[0], mins[0])
	VPHADDD(mins[0], mins[0], mins[0])
	VEXTRACTI128(Imm(1), mins[0], mins[1].AsX())
	VPUNPCKLDQ(mins[1].AsX(), mins[0].AsX(), mins[0].AsX())
	acc := avx2.regs(4)
	for i := range acc {
		x, lo, spread := YMM(), YMM(), YMM()
		for g := range 4 {
			VMOVDQU(r.at(i, 16+32*g), x)
			nibbles(avx2, x, lo, c.mask)
			for h, v := range []VecVirtual{lo, x} {
				VPMADDUBSW(at(a, 64*g+32*h), v, v)
				VPSHUFB(c.spreadTable.Offset(32*(2*g+h)), scales[i], spread)
				if g+h == 0 {
					VPMADDWD(spread, v, acc[i])
					continue
				}
				VPMADDWD(spread, v, v)
				VPADDD(v, acc[i], acc[i])
			}
		}
	}
	t := sums(avx2, acc, YMM())
	d, dmin := fourScales(avx2, r, 0), fourScales(avx2, r, 2)
	q4kFinish(t, mins[0].AsX(), d, dmin, a, f)
}
