package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Q4_0: 32 weights of 4 bits, larger by 8. Q4_1: as they are, with a min. AVX2 sums them in 16 bits.
var (
	q40Type = nibbleType{blocks: blocks{name: "Q40", bytes: 18, scaleReader: &halfScale{}}, at: 2, values: asTheyAre{}}
	q41Type = nibbleType{
		blocks: blocks{name: "Q41", bytes: 20, scaleReader: &halfScale{}, mins: &halfScale{at: 2}}, at: 4, values: asTheyAre{},
	}
)

func q40() {
	q40Type.kernels()
	wordTile("gemmQ40x3", 3, false)
	wordTile("gemmQ40x2", 2, false)
}

func q41() {
	q41Type.kernels()
	wordTile("gemmQ41x3", 3, true)
	wordTile("gemmQ41x2", 2, true)
}

// dotWords adds the products of unsigned and signed bytes, n steps from first on, to 16-bit sums in t. x is clobbered.
func (k *tile) dotWords(first, n int, x VecVirtual) {
	for step := range n {
		k.weights(first + step)
		for i := range k.tokens {
			VPBROADCASTD(k.token(k.a, i, 4*(first+step)), k.b)
			for h := range 2 {
				if step == 0 {
					VPMADDUBSW(k.b, k.w[h], k.t[i][h])
					continue
				}
				VPMADDUBSW(k.b, k.w[h], x)
				VPADDW(x, k.t[i][h], k.t[i][h])
			}
		}
	}
}

// wordTile writes an AVX2 panel kernel for blocks of weights of 4 bits.
func wordTile(name string, tokens int, mins bool) {
	k := newTile(avx2, name, tokens)
	s, j, c := GP64(), GP64(), GP64()
	x := k.reg()
	one := table("ones16", repeat(16, 1, 0))
	Label("tile")
	k.load()
	MOVQ(k.panel, k.p)
	MOVQ(k.act, k.a)
	LEAQ(at(k.act, blockScale), c)
	LEAQ(at(k.panel, panelEnd), s)
	MOVQ(U32(8), j)
	Label("group")
	k.dotWords(0, 8, x) // 16 products of at most 15*127 each
	for i := range tokens {
		VPBROADCASTD(k.token(c, i, blockStart-blockScale), k.b)
		for h := range 2 {
			t := k.t[i][h]
			VPMADDWD(one, t, t)
			VPADDD(k.b, t, t)
		}
		k.unmagic(c, i, x)
		for h := range 2 {
			VFMADD231PS(k.row(s, 0, h), k.t[i][h], k.f[i][h])
		}
	}
	if mins {
		k.blockMins(s, c)
	}
	ADDQ(U32(4), c)
	k.nextGroup(8, s, j)
	k.storeSums()
	k.next()
}
