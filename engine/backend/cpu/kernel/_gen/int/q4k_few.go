package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// For several rows of activations these stay in memory, so that the weights come in their order: two groups of 32 a vector, which
// have the same bytes.

var q4kFew struct {
	mask, shift, zero VecVirtual
	spread, turn      [4]Mem
}

func (q *minsType) fewSetup512() {
	c := &q4kFew
	c.mask, c.zero, c.shift = avx512.dwords(0x0f0f0f0f), zeroed(avx512), ZMM()
	VMOVDQU32(table("q4kFewShift", append(repeat(16, 0, 0), repeat(16, 4, 0)...)), c.shift)
	for i := range byte(4) {
		n := string(rune('0' + i))
		c.spread[i] = table("q4kFewSpread"+n, append(repeat(16, 2*i, 0x80), repeat(16, 2*i+1, 0x80)...))
		b := append(repeat(4, (4-2*i)&63, 0, 0, 0, 0, 0, 0, 0), repeat(4, (3-2*i)&63, 0, 0, 0, 0, 0, 0, 0)...)
		c.turn[i] = table("q5kFewTurn"+n, b)
	}
}

// header512 reads the scales of 4 rows.
func (q *minsType) header512(r rows) (low, mins, head VecVirtual) {
	c := &q4kFew
	high := ZMM()
	head, low, mins = ZMM(), ZMM(), ZMM()
	avx512.lanes(r.at(0, 0), head)
	for i := 1; i < 4; i++ {
		avx512.insert(i, r.at(i, 0), head)
	}
	VPSHUFD(Imm(0xed), head, high) // qwords of the dwords 1, 2 and 2, 3
	VMOVDQU32(q4kLow(), low)
	VPMULTISHIFTQB(high, low, low)
	VMOVDQU32(q4kHigh(), mins)
	VPMULTISHIFTQB(high, mins, high)
	VPANDD(q4kHighMask(), high, high)
	VPTERNLOGD(Imm(0xec), q4kLowMask(), high, low)
	VPUNPCKHBW(c.zero, low, mins)
	VMOVDQU32(q4kScaleBytes(), high)
	VPERMB(head, high, head)
	VCVTPH2PS(head.AsX(), head.AsY())
	return low, mins, head
}

func (q *minsType) few512(r, a rows, f []VecVirtual) {
	c := &q4kFew
	low, mins, head := q.header512(r)
	acc := make([][]VecVirtual, len(f))
	for t := range f {
		acc[t] = avx512.regs(4)
	}
	for i := range 4 {
		s, spread, x, m := ZMM(), ZMM(), ZMM(), ZMM()
		VSHUFI32X4(Imm(uint64(0x55*i)), low, low, s)
		for j := range 4 {
			VBROADCASTI64X4(r.at(i, q.bits4+32*j), x)
			VPSRLVW(c.shift, x, x)
			VPANDD(c.mask, x, x)
			if q.bits1 > 0 {
				VBROADCASTI64X4(r.at(i, q.bits1), m)
				VPROLVQ(c.turn[j], m, m)
				VPTERNLOGD(Imm(0xf8), fifthBit(), m, x) // x | m & bit
			}
			VPSHUFB(c.spread[j], s, spread)
			for t := range f {
				VPMADDUBSW(a.at(t, 64*j), x, m)
				if j == 0 {
					VPMADDWD(spread, m, acc[t][i])
				} else {
					VPDPWSSD(spread, m, acc[t][i])
				}
			}
		}
	}
	dmin, order := XMM(), ZMM()
	VEXTRACTF32X4(Imm(1), head.AsY(), dmin)
	VMOVDQU32(q4kSum(), order)
	for t := range f {
		m, x := ZMM(), ZMM()
		avx512.lanes(a.at(t, act32Sum), m)
		VPMADDWD(m, mins, m)
		for _, swap := range []uint64{0x4e, 0xb1} {
			VPSHUFD(Imm(swap), m, x)
			VPADDD(x, m, m)
		}
		VPERMD(m, order, m)
		minsFinish(sums(avx512, acc[t], x), m.AsX(), head.AsX(), dmin, a.at(t, act32Scale), f[t])
	}
}
