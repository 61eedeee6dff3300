package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

type bits2Const struct {
	mask, third          VecVirtual
	words, zero          VecVirtual // scales of a row, in the low half
	spread               [4]VecVirtual
	half                 VecVirtual // shifts the third bits of the second half of the superblock into place
	low4, high2          VecVirtual // shifts for the scales of Q3_K
	m4, m2, bias         Mem
	low4Table, highTable Mem
	spreadTable          Mem
}

var bits2 bits2Const

func (q *bits2Type) setup512() {
	c := &bits2
	load := func(name string, b []byte) VecVirtual {
		v := ZMM()
		VMOVDQU32(table(name, b), v)
		return v
	}
	c.mask, c.third = avx512.dwords(0x03030303), avx512.dwords(0x04040404)
	c.words, c.zero = zeroed(avx512), zeroed(avx512)
	for k := range c.spread { // groups of 16: 2k and 2k+1 of both halves
		var b []byte
		for _, g := range []int{2 * k, 2*k + 1, 8 + 2*k, 8 + 2*k + 1} {
			b = append(b, repeat(8, byte(2*g), byte(2*g+1))...)
		}
		c.spread[k] = load("spread"+string(rune('0'+k)), b)
	}
	if q.third {
		c.half = load("half", append(repeat(8, 0, 0, 0, 0), repeat(4, 4, 0, 0, 0, 0, 0, 0, 0)...))
		c.low4 = load("low4", repeat(4, u32s(0, 0, 4, 4)...))
		c.high2 = load("high2", repeat(4, u32s(0, 2, 4, 6)...))
	}
	c.tables(4)
}

// tables are constants in memory, of n lanes.
func (c *bits2Const) tables(n int) {
	c.m4 = table("m4", repeat(16*n, 15))
	c.m2 = table("m2", repeat(16*n, 3))
	c.bias = table("bias", repeat(16*n, 32))
}

// scaleBytes reads the 16 scales, and mins, of 4 rows as bytes, a row a lane.
func (q *bits2Type) scaleBytes(r rows) (scales, mins VecVirtual) {
	c := &bits2
	s, t := ZMM(), ZMM()
	from := q.scales
	if q.third {
		from -= 2 // to end with the superblock
	}
	avx512.lanes(r.at(0, from), s)
	for i := 1; i < 4; i++ {
		avx512.insert(i, r.at(i, from), s)
	}
	if !q.third {
		VPSRLW(Imm(4), s, t)
		VPANDD(c.m4, t, t)
		VPANDD(c.m4, s, s)
		return s, t
	}
	VPSRLDQ(Imm(2), s, s)
	q3kScales(avx512, s, t, c.low4, c.high2)
	return s, nil
}

// q3kScales unpacks the 12 bytes at the start of each lane of s to 16 int8. t is clobbered.
func q3kScales(w width, s, t VecVirtual, low4, high2 Op) {
	c := &bits2
	VPSHUFD(Imm(0xaa), s, t)
	VPSRLVD(high2, t, t)
	w.and(c.m2, t, t)
	VPSLLD(Imm(4), t, t)
	VPSHUFD(Imm(0x44), s, s)
	VPSRLVD(low4, s, s)
	w.and(c.m4, s, s)
	w.or(t, s, s)
	VPSUBB(c.bias, s, s)
}

func (q *bits2Type) super512(r rows, a Register, f VecVirtual) {
	c := &bits2
	acts := avx512.regs(4)
	for k := range acts { // group k of 32 of both halves
		VBROADCASTI64X4(at(a, 32*k), acts[k])
		VINSERTI64X4(Imm(1), at(a, 128+32*k), acts[k], acts[k])
	}
	scales, mins := q.scaleBytes(r)
	acc, minAcc := avx512.regs(4), avx512.regs(4)
	for i := range acc {
		x, v, s, third := ZMM(), ZMM(), ZMM(), ZMM()
		lane := XMM()
		if !q.third {
			VEXTRACTI32X4(Imm(uint64(i)), mins, lane)
			VPMOVZXBW(lane, c.words.AsY()) // the other half stays zero
			VPMADDWD(at(a, act16Sum), c.words, minAcc[i])
		}
		VEXTRACTI32X4(Imm(uint64(i)), scales, lane)
		VPMOVSXBW(lane, c.words.AsY())
		if q.third {
			VPMADDWD(at(a, act16Sum), c.words, acc[i]) // the centring
			VPSLLD(Imm(2), acc[i], acc[i])
			VPSUBD(acc[i], c.zero, acc[i])
			VBROADCASTI64X4(r.at(i, 0), third)
			VPSRLVQ(c.half, third, third)
		}
		VMOVDQU32(r.at(i, q.bits2), x)
		for k := range 4 {
			VPSRLW(Imm(uint64(2*k)), x, v)
			VPANDD(c.mask, v, v)
			if q.third {
				if k < 2 {
					VPSLLW(Imm(uint64(2-k)), third, s)
				} else {
					VPSRLW(Imm(uint64(k-2)), third, s)
				}
				VPTERNLOGD(Imm(0xf8), c.third, s, v) // v | s & third
			}
			VPMADDUBSW(acts[k], v, v)
			VPERMB(c.words, c.spread[k], s)
			if k == 0 && !q.third {
				VPMADDWD(s, v, acc[i])
			} else {
				VPDPWSSD(s, v, acc[i])
			}
		}
	}
	t := sums(avx512, acc, ZMM())
	if q.third {
		scaleFinish(t, fourScales(avx512, r, q.d), at(a, act16Scale), f)
		return
	}
	m := sums(avx512, minAcc, ZMM())
	minsFinish(t, m, fourScales(avx512, r, q.d), fourScales(avx512, r, q.d+2), at(a, act16Scale), f)
}

func (q *bits2Type) setup256() {
	c := &bits2
	c.mask, c.third = avx2.dwords(0x03030303), avx2.dwords(0x04040404)
	c.tables(2)
	c.low4Table = table("low4", u32s(0, 0, 4, 4, 0, 0, 4, 4))
	c.highTable = table("high2", u32s(0, 2, 4, 6, 0, 2, 4, 6))
	c.spreadTable = spread256()
}

func (q *bits2Type) super256(r rows, a Register, f VecVirtual) {
	c := &bits2
	acc, minAcc := avx2.regs(4), avx2.regs(4)
	words := avx2.regs(2)
	x, y, t := YMM(), YMM(), YMM()
	third := YMM()
	for i := range acc {
		if q.third {
			avx2.lanes(r.at(i, q.scales-2), x)
			VPSRLDQ(Imm(2), x, x)
			q3kScales(avx2, x, t, c.low4Table, c.highTable)
		} else {
			avx2.lanes(r.at(i, q.scales), x)
			VPSRLW(Imm(4), x, y)
			VPAND(c.m4, y, y)
			VPAND(c.m4, x, x)
			VPMOVZXBW(y.AsX(), y)
			VPMADDWD(at(a, act16Sum), y, minAcc[i])
		}
		VPMOVSXBW(x.AsX(), words[0])
		if q.third {
			VPMADDWD(at(a, act16Sum), words[0], t) // the centring
			VPSLLD(Imm(2), t, t)
			avx2.zero(acc[i])
			VPSUBD(t, acc[i], acc[i])
			VMOVDQU(r.at(i, 0), third)
		}
		VPERMQ(Imm(0xee), words[0], words[1])
		VPERMQ(Imm(0x44), words[0], words[0])
		for n := range 2 {
			VMOVDQU(r.at(i, q.bits2+32*n), x)
			for k := range 4 {
				VPSRLW(Imm(uint64(2*k)), x, y)
				VPAND(c.mask, y, y)
				if q.third {
					addThird(avx2, third, 4*n+k, y, t)
				}
				VPMADDUBSW(at(a, 128*n+32*k), y, y)
				VPSHUFB(c.spreadTable.Offset(32*k), words[n], t)
				if n+k == 0 && !q.third {
					VPMADDWD(t, y, acc[i])
					continue
				}
				VPMADDWD(t, y, y)
				VPADDD(y, acc[i], acc[i])
			}
		}
	}
	sum := sums(avx2, acc, t)
	if q.third {
		scaleFinish(sum, fourScales(avx2, r, q.d), at(a, act16Scale), f)
		return
	}
	m := sums(avx2, minAcc, t)
	minsFinish(sum, m, fourScales(avx2, r, q.d), fourScales(avx2, r, q.d+2), at(a, act16Scale), f)
}
