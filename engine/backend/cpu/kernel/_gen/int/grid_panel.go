package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Panels of the codebook types are those of IQ4_XS, or for groups of 16 those of Q6_K with weights as IQ4_XS has them:
// larger by 128 for AVX-512, signed for AVX2. The rows are expanded behind the panel.
const gridRows = panelEnd + 2048 + 128

// gridTiles writes the panel kernels for groups of 16.
func gridTiles() {
	for _, tokens := range []int{6, 4} {
		tileQ6K512(fmt.Sprintf("gemmIQ2x%d", tokens), tokens, 43, false)
		tileQ6K512(fmt.Sprintf("gemmIQ1x%d", tokens), tokens, 9, false)
	}
	signed16Tile("gemmSigned16x2", 2)
}

func (g *gridType) kernels() {
	g.rowKernels()
	for _, w := range widths {
		g.unpack(w)
	}
}

// unpack writes the unpack kernel.
func (g *gridType) unpack(w width) {
	panel, plain, size := expandRows(w, "unpack"+g.name, gridRows, plainBytes, func() {}, func(src, dst Register) { g.expand(expander{src: src, dst: dst}) })
	g.signRows(w, panel)
	LEAQ(at(panel, gridRows), plain)
	MOVQ(U32(plainBytes), size)
	unpackRows(w, plain, size, panel, func(u *unpacker) { g.scales(w, u) }, 8, 32, 8*panelStep, (*unpacker).bytes32)
}

// signRows gives the expanded rows' weights their signs, and puts d in its place.
func (g *gridType) signRows(w width, panel Register) {
	plain, d, n, bits := GP64(), GP64(), GP64(), GP32()
	LEAQ(at(panel, gridRows), plain)
	LEAQ(at(panel, g.panelD()), d)
	var zero, flip, two, m, v VecVirtual = zeroed(w), w.dwords(0x80808080), w.dwords(0x02020202), w.reg(), w.reg()
	if w == avx2 {
		signBits()
	}
	by := w.dwords(0x01010101 * uint32(g.above))
	MOVQ(U32(panelRows), n)
	Label("sign")
	for o := 0; o < 256; o += w.bytes() {
		w.mov(at(plain, o), v)
		signs := at(plain, plainSigns+o/8)
		switch {
		case g.above == 1: // has none
		case w == avx512:
			KMOVQ(signs, K1)
			if g.above > 0 {
				VPSUBB(two, v, K1, v)
			} else {
				VPSUBB(v, zero, K1, v)
			}
		default:
			signMask(signs, m)
			if g.above > 0 {
				VPAND(two, m, m)
			} else {
				VPXOR(m, v, v)
			}
			VPSUBB(m, v, v)
		}
		if g.above > 0 {
			VPSUBB(by, v, v)
		}
		if w == avx512 {
			VPXORD(flip, v, v)
		}
		w.mov(v, at(plain, o))
	}
	MOVL(at(plain, plainD), bits)
	MOVL(bits, at(d, 0))
	ADDQ(U32(plainBytes), plain)
	ADDQ(U32(4), d)
	DECQ(n)
	JNZ(LabelRef("sign"))
}

func (g *gridType) panelD() int {
	if g.by16 {
		return q6kPanelD
	}
	return iq4xsD
}

// scales writes the scales of the rows at hand.
func (g *gridType) scales(w width, u *unpacker) {
	low, x, y := w.dwords(0xffff), u.tmp[0], u.tmp[1]
	for h := range 2 { // 8 words of every row
		u.columns(w, plainScales+16*h, u.v, u.tmp)
		for i, v := range u.v {
			w.and(low, v, x)
			if !g.by16 {
				w.mov(x, at(u.panel, iq4xsScales+panelStep*(4*h+i)))
				continue
			}
			VPSRLD(Imm(16), v, y)
			storeScales(w, x, y, u.tmp[2], u.panel, q6kScales, 8*h+2*i)
		}
	}
}

// signed16Tile is the AVX2 panel kernel for signed weights of at most 62 with integer scales for groups of 16: sums of 4
// products fit 16 bits.
func signed16Tile(name string, tokens int) {
	k := newTile(avx2, name, tokens)
	s, j := GP64(), GP64()
	abs, x := k.regs(2), k.reg()
	Label("tile")
	k.clear(k.f)
	MOVQ(k.panel, k.p)
	MOVQ(k.act, k.a)
	LEAQ(at(k.panel, q6kScales), s)
	MOVQ(U32(16), j)
	Label("group")
	for step := range 4 {
		k.weights(step)
		for h := range abs {
			VPABSB(k.w[h], abs[h])
		}
		for i := range k.tokens {
			VPBROADCASTD(k.token(k.a, i, 4*step), k.b)
			for h := range abs {
				t := k.t[i][h]
				if step%2 == 0 {
					VPSIGNB(k.w[h], k.b, t)
					VPMADDUBSW(t, abs[h], t)
					continue
				}
				VPSIGNB(k.w[h], k.b, x)
				VPMADDUBSW(x, abs[h], x)
				VPADDW(x, t, t)
			}
		}
		if step%2 == 1 {
			k.scaleWords(s)
		}
	}
	k.nextGroup(4, s, j)
	k.scaleStore(q6kPanelD, act16Scale)
}
