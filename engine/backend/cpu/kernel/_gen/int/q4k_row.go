package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The row kernels unpack the 12 bytes of scales of 4 rows (2 for AVX2) at once, to 16 bytes a row: scales 0 to 7, then mins 0
// to 7 (AVX-512), or the same in halves of 4, scales first (AVX2). Then VPSHUFB spreads a scale over the words of a group.

var q4kConst struct {
	mask                       VecVirtual
	low, high                  VecVirtual // where the bits of a byte come from: counts of VPMULTISHIFTQB
	lowMask, highMask          VecVirtual
	scales, sum                VecVirtual // orders of {d, dmin} and of the mins' sums
	spread                     [4]VecVirtual
	zero, bit                  VecVirtual
	turn                       [4]Mem
	lowTable, highTable, shift Mem
	spreadTable                Mem
}

// What both kinds of row kernels of AVX-512 read the scales with; q4kConst says what it is.
func q4kLow() Mem {
	return table("q4kLow", repeat(4, 0, 8, 16, 24, 32, 40, 48, 56, 0, 8, 16, 24, 36, 44, 52, 60))
}
func q4kHigh() Mem {
	return table("q4kHigh", repeat(4, 0, 0, 0, 0, 2, 10, 18, 26, 0, 0, 0, 0, 2, 10, 18, 26))
}
func q4kLowMask() Mem {
	return table("q4kLowMask", repeat(4, 63, 63, 63, 63, 15, 15, 15, 15, 63, 63, 63, 63, 15, 15, 15, 15))
}
func q4kHighMask() Mem {
	return table("q4kHighMask", repeat(4, 0, 0, 0, 0, 48, 48, 48, 48, 0, 0, 0, 0, 48, 48, 48, 48))
}
func q4kSum() Mem { return table("q4kSum", u32s(0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
func q4kScaleBytes() Mem {
	return table("q4kD", append([]byte{0, 1, 16, 17, 32, 33, 48, 49, 2, 3, 18, 19, 34, 35, 50, 51}, make([]byte, 48)...))
}

func (q *minsType) setup512() {
	c := &q4kConst
	c.mask = avx512.dwords(0x0f0f0f0f)
	c.low = load512(q4kLow())
	c.high = load512(q4kHigh())
	c.lowMask = load512(q4kLowMask())
	c.highMask = load512(q4kHighMask())
	c.scales = load512(q4kScaleBytes())
	c.sum = load512(q4kSum())
	for i, g := range [][2]byte{{0, 2}, {1, 3}, {4, 6}, {5, 7}} {
		c.spread[i] = table512("q4kSpread"+string(rune('0'+i)), append(repeat(16, g[0], 0x80), repeat(16, g[1], 0x80)...))
	}
	c.zero = zeroed(avx512)
	if q.bits1 > 0 {
		c.bit = table512("fifthBit", repeat(64, 16))
		for i, n := range [][2]byte{{4, 2}, {3, 1}, {0, 62}, {63, 61}} { // bring a group's bit to the fifth place
			b := append(repeat(4, n[0], 0, 0, 0, 0, 0, 0, 0), repeat(4, n[1], 0, 0, 0, 0, 0, 0, 0)...)
			c.turn[i] = table("fifthTurn"+string(rune('0'+i)), b)
		}
	}
}

func (q *minsType) super512(r rows, a Register, f VecVirtual) {
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
		fifth := ZMM()
		if q.bits1 > 0 {
			VBROADCASTI64X4(r.at(i, q.bits1), fifth)
		}
		for h := range 2 {
			VMOVDQU32(r.at(i, q.bits4+64*h), x)
			nibbles(avx512, x, lo, c.mask)
			if q.bits1 > 0 {
				VPROLVQ(c.turn[2*h], fifth, spread)
				VPTERNLOGD(Imm(0xf8), c.bit, spread, lo) // lo | spread & bit
				VPROLVQ(c.turn[2*h+1], fifth, spread)
				VPTERNLOGD(Imm(0xf8), c.bit, spread, x)
			}
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
	minsFinish(t, mins.AsX(), head.AsX(), high.AsX(), at(a, act32Scale), f)
}

// minsFinish adds a superblock of 4 rows to f: the sums t and mins are integers.
func minsFinish(t, mins, d, dmin Register, scale Mem, f Register) {
	dx := XMM()
	VBROADCASTSS(scale, dx)
	VCVTDQ2PS(mins, mins)
	VMULPS(dmin, mins, mins)
	VCVTDQ2PS(t, t)
	VFMSUB213PS(mins, d, t)
	VFMADD231PS(dx, t, f)
}

func (q *minsType) setup256() {
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

func (q *minsType) super256(r rows, a Register, f VecVirtual) {
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
		fifth := YMM()
		if q.bits1 > 0 {
			VMOVDQU(r.at(i, q.bits1), fifth)
		}
		for g := range 4 {
			VMOVDQU(r.at(i, q.bits4+32*g), x)
			nibbles(avx2, x, lo, c.mask)
			if q.bits1 > 0 {
				addFifth(avx2, fifth, 2*g, lo, spread)
				addFifth(avx2, fifth, 2*g+1, x, spread)
			}
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
	minsFinish(t, mins[0].AsX(), d, dmin, at(a, act32Scale), f)
}
