package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// tile512 keeps the sum of a superblock in integers. A group's sum of 32 products fits 16 bits if those of the positive and of the negative
// activations do.
func (q *minsType) tile512(name string, tokens int, pairs bool) {
	k := newTile(avx512, name, tokens)
	Label("tile")
	k.superblock(grouping{scales: q4kScales, steps: 8, max: act32Max, limit: 32767 / q.largest()}, pairs)
	k.sumPairs(q4kMins, act32Sum, 4)
	k.minsStore(q4kD, act32Scale)
}

// sumPairs adds up the sums of the activations, in pairs from sum on, times n rows of pairs at disp of the panel, in t.
func (k *tile) sumPairs(disp, sum, n int) {
	k.clear(k.t)
	for j := range n {
		for h := range k.w {
			k.mov(k.row(k.panel, disp+panelStep*j, h), k.w[h])
		}
		for i := range k.tokens {
			VPBROADCASTD(k.token(k.act, i, sum+4*j), k.b)
			for h := range k.w {
				VPDPWSSD(k.b, k.w[h], k.t[i][h])
			}
		}
	}
}

// minsStore ends a tile: f = d*f - dmin*t, then dst. In the panel d is at disp and dmin follows.
func (k *tile) minsStore(disp, scale int) {
	d := k.regs(2)
	for h := range d {
		VMOVUPS(k.row(k.panel, disp, h), d[h])
		VMOVUPS(k.row(k.panel, disp+panelStep, h), k.w[h])
	}
	k.each(func(i, h int) {
		VCVTDQ2PS(k.t[i][h], k.t[i][h])
		VMULPS(k.w[h], k.t[i][h], k.t[i][h])
		VCVTDQ2PS(k.f[i][h], k.f[i][h])
		VFMSUB213PS(k.t[i][h], d[h], k.f[i][h])
	})
	k.store(scale)
	k.next()
}

// tile256 sums a group's products in 16 bits, multiplies with the scale and adds up in 32: 16 products of 4 bits, or 8 of
// 5 bits, by 7, fit 16 bits.
func (q *minsType) tile256(name string, tokens int) {
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
	steps := 8
	if q.bits1 > 0 {
		steps = 4
	}
	for first := 0; first < 8; first += steps {
		k.dotWords(first, steps, x)
		k.scaleWords(s)
	}
	ADDQ(U32(8*panelStep), k.p)
	ADDQ(U32(32), k.a)
	ADDQ(U32(panelStep), s)
	DECQ(j)
	JNZ(LabelRef("group"))
	k.mins256(q4kMins, act32Sum, 4, x)
	k.minsStore(q4kD, act32Scale)
}

// scaleWords adds t, sums in 16 bits, times the scales at s to f.
func (k *tile) scaleWords(s Register) {
	k.each(func(i, h int) {
		VPMADDWD(k.row(s, 0, h), k.t[i][h], k.t[i][h])
		VPADDD(k.t[i][h], k.f[i][h], k.f[i][h])
	})
}

// mins256 is sumPairs for AVX2.
func (k *tile) mins256(disp, sum, n int, x VecVirtual) {
	for j := range n {
		for i := range k.tokens {
			VPBROADCASTD(k.token(k.act, i, sum+4*j), k.b)
			for h := range 2 {
				t := k.t[i][h]
				if j > 0 {
					t = x
				}
				VPMADDWD(k.row(k.panel, disp+panelStep*j, h), k.b, t)
				if j > 0 {
					VPADDD(x, k.t[i][h], k.t[i][h])
				}
			}
		}
	}
}
