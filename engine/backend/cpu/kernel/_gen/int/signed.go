package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// dotSigned sums the products of a group of 32 signed weights in t. abs and x are clobbered.
func (k *tile) dotSigned(one VecVirtual, abs []VecVirtual, x VecVirtual) {
	k.signedSteps(0, 8, abs, x, func(t VecVirtual) { VPMADDWD(one, t, t) }, func(t VecVirtual) { VPADDD(x, t, t) })
}

// dotSignedWords sums them in 16 bits: 16 products of at most 16*127 each.
func (k *tile) dotSignedWords(abs []VecVirtual, x VecVirtual) {
	k.signedSteps(0, 8, abs, x, func(VecVirtual) {}, func(t VecVirtual) { VPADDW(x, t, t) })
}

// signedSteps multiplies |w| with the activation that has w's sign, widens the pairs' sums and adds x to those in t.
func (k *tile) signedSteps(first, n int, abs []VecVirtual, x VecVirtual, widen, add func(t VecVirtual)) {
	for step := range n {
		k.weights(first + step)
		for h := range abs {
			VPABSB(k.w[h], abs[h])
		}
		for i := range k.tokens {
			VPBROADCASTD(k.token(k.a, i, 4*(first+step)), k.b)
			for h := range abs {
				t := k.t[i][h]
				if step > 0 {
					t = x
				}
				VPSIGNB(k.w[h], k.b, t)
				VPMADDUBSW(t, abs[h], t)
				widen(t)
				if step > 0 {
					add(k.t[i][h])
				}
			}
		}
	}
}

// signedTile writes an AVX2 panel kernel for blocks of signed weights with a float32 scale each, at the panel's end.
// The weights' magnitudes are at most 16 when small, else 128.
func signedTile(name string, tokens int, small bool) {
	k := newTile(avx2, name, tokens)
	s, j, c := GP64(), GP64(), GP64()
	one, abs, x := k.dwords(0x00010001), k.regs(2), k.reg()
	Label("tile")
	k.load()
	MOVQ(k.panel, k.p)
	MOVQ(k.act, k.a)
	LEAQ(at(k.act, blockScale), c)
	LEAQ(at(k.panel, panelEnd), s)
	MOVQ(U32(8), j)
	Label("group")
	if small {
		k.dotSignedWords(abs, x)
	} else {
		k.dotSigned(one, abs, x)
	}
	if small {
		k.each(func(i, h int) { VPMADDWD(one, k.t[i][h], k.t[i][h]) })
	}
	for i := range tokens {
		k.scaleActs(c, i)
		for h := range 2 {
			VFMADD231PS(k.row(s, 0, h), k.t[i][h], k.f[i][h])
		}
	}
	ADDQ(U32(4), c)
	k.nextGroup(8, s, j)
	k.storeSums()
	k.next()
}
