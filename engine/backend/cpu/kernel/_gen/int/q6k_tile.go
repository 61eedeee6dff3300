package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// tileQ6K512 keeps the sum of a superblock in integers. The weights are centred: a group's sum starts at minus their offset
// times that of the activations, and then fits 16 bits if the activations are small. largest is the largest weight's magnitude.
func tileQ6K512(name string, tokens, largest int, pairs bool) {
	k := newTile(avx512, name, tokens)
	Label("tile")
	k.superblock(grouping{scales: q6kScales, steps: 4, from: act16Centre, max: act16Max, limit: 32767 / largest}, pairs)
	k.scaleStore(q6kPanelD, act16Scale)
}

// scaleStore ends a tile: f = d*f, then dst. d is at disp of the panel.
func (k *tile) scaleStore(disp, scale int) {
	for h := range k.w {
		VMOVUPS(k.row(k.panel, disp, h), k.w[h])
	}
	k.each(func(i, h int) {
		VCVTDQ2PS(k.f[i][h], k.f[i][h])
		VMULPS(k.w[h], k.f[i][h], k.f[i][h])
	})
	k.store(scale)
	k.next()
}

// tileQ6K256 sums 4 products of at most 63*127 in 16 bits. The centring comes at the end.
func tileQ6K256(name string, tokens int) {
	k := newTile(avx2, name, tokens)
	s, j := GP64(), GP64()
	x := k.reg()
	Label("tile")
	k.clear(k.f)
	MOVQ(k.panel, k.p)
	MOVQ(k.act, k.a)
	LEAQ(at(k.panel, q6kScales), s)
	MOVQ(U32(16), j)
	Label("group")
	for step := 0; step < 4; step += 2 {
		for half := range 2 {
			k.weights(step + half)
			for i := range tokens {
				VPBROADCASTD(k.token(k.a, i, 4*(step+half)), k.b)
				for h := range 2 {
					t := k.t[i][h]
					if half == 0 {
						VPMADDUBSW(k.b, k.w[h], t)
						continue
					}
					VPMADDUBSW(k.b, k.w[h], x)
					VPADDW(x, t, t)
					VPMADDWD(k.row(s, 0, h), t, t)
					VPADDD(t, k.f[i][h], k.f[i][h])
				}
			}
		}
	}
	ADDQ(U32(4*panelStep), k.p)
	ADDQ(U32(16), k.a)
	ADDQ(U32(panelStep), s)
	DECQ(j)
	JNZ(LabelRef("group"))
	k.clear(k.t)
	for j := range 8 { // pairs of groups
		for h := range k.w {
			VMOVDQU(k.row(k.panel, q6kScales+2*panelStep*j, h), k.w[h])
			VPBLENDW(Imm(0xaa), k.row(k.panel, q6kScales+2*panelStep*j+panelStep, h), k.w[h], k.w[h])
		}
		for i := range tokens {
			VPBROADCASTD(k.token(k.act, i, act16Sum+4*j), k.b)
			for h := range k.w {
				VPMADDWD(k.b, k.w[h], x)
				VPADDD(x, k.t[i][h], k.t[i][h])
			}
		}
	}
	k.each(func(i, h int) {
		VPSLLD(Imm(5), k.t[i][h], k.t[i][h])
		VPSUBD(k.t[i][h], k.f[i][h], k.f[i][h])
	})
	k.scaleStore(q6kPanelD, act16Scale)
}
