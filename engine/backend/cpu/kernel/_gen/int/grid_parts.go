package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// What the expansions of grid.go are made of.

// index stores 16 indices.
func (e expander) index(h int, v VecVirtual) { VMOVDQU(v, at(e.dst, plainIndex+32*h)) }

// splitIndex stores 16 indices: 8 bits at low, and upper bits that load puts in every lane. Each of its bytes named in from, or of its
// words for IQ1_S, is for n indices, and is multiplied for each to bring its bits to the mask. For IQ1 that is one bit too far
// left, so that a factor of 1 can serve.
func (e expander) splitIndex(h, low int, load func(x VecVirtual), from []byte, n int, factors []uint16, mask uint16) {
	x, y := YMM(), YMM()
	load(x)
	wide := mask == 0xe00 && n == 4
	VPSHUFB(table("upper"+string(rune('0'+h)), spreadWords(from, n, wide)), x, x)
	VPMULLW(table("upperShift", repeat(16/len(factors), u16s(factors...)...)), x, x)
	VPAND(words256("upperMask", mask), x, x)
	if mask == 0xe00 {
		VPSRLW(Imm(1), x, x)
	}
	VPMOVZXBW(at(e.src, low), y)
	VPOR(y, x, x)
	e.index(h, x)
}

// spreadWords is an order of bytes: each of from, or the word there, as n words.
func spreadWords(from []byte, n int, wide bool) []byte {
	var b []byte
	for _, f := range from {
		high := byte(0x80)
		if wide {
			high = f + 1
		}
		b = append(b, repeat(n, f, high)...)
	}
	return b
}

func u16s(v ...uint16) []byte {
	var b []byte
	for _, x := range v {
		b = append(b, byte(x), byte(x>>8))
	}
	return b
}

func words256(name string, v uint16) Mem  { return table(name, repeat(16, u16s(v)...)) }
func dwords256(name string, v uint32) Mem { return table(name, repeat(8, u32s(v)...)) }

// gather writes the entries.
func (e expander) gather(n entries) {
	if e.later != nil {
		*e.later = n
		return
	}
	book := n.load()
	for i := range 256 / n.size {
		x := GP64()
		n.index(i, func(disp int) Mem { return at(e.src, disp) }, func(disp int) Mem { return at(e.dst, disp) }, x)
		from := Mem{Base: book, Index: x, Scale: uint8(n.size)}
		if n.size == 8 {
			MOVQ(from, x)
			MOVQ(x, at(e.dst, 8*i))
		} else {
			MOVL(from, x.As32())
			MOVL(x.As32(), at(e.dst, 4*i))
		}
	}
}

// packed takes 8 dwords, each with 4 sign codes of 7 bits and a scale of 4.
func (e expander) packed(u VecVirtual) {
	x, y := YMM(), YMM()
	e.scales(topScales(avx2, u))
	VPAND(dwords256("code0", 0x7f), u, x)
	for l := 1; l < 4; l++ {
		VPSLLD(Imm(uint64(l)), u, y)
		VPAND(dwords256("code"+string(rune('0'+l)), 0x7f<<(8*l)), y, y)
		VPOR(y, x, x)
	}
	e.evenSigns(x)
}

// evenSigns completes bytes of 7 signs: an odd number of them sets the eighth.
func (e expander) evenSigns(x VecVirtual) {
	parity, mask, low, high := YMM(), YMM(), YMM(), YMM()
	VMOVDQU(table("parity", repeat(2, 0, 128, 128, 0, 128, 0, 0, 128, 128, 0, 0, 128, 0, 128, 128, 0)), parity)
	VMOVDQU(table("low4", repeat(32, 15)), mask)
	VPAND(mask, x, low)
	VPSRLW(Imm(4), x, high)
	VPAND(mask, high, high)
	VPSHUFB(low, parity, low)
	VPSHUFB(high, parity, high)
	VPXOR(low, high, high)
	VPOR(high, x, x)
	VMOVDQU(x, at(e.dst, plainSigns))
}

func (e expander) signBits(from int) {
	x := YMM()
	VMOVDQU(at(e.src, from), x)
	VMOVDQU(x, at(e.dst, plainSigns))
}

func (e expander) scales(words VecVirtual) { VMOVDQU(words, at(e.dst, plainScales)) }

// oddWords makes 2s+1 of each of 16 words s.
func oddWords(w width, s VecVirtual) VecVirtual {
	VPADDW(s, s, s)
	w.or(words256("one", 1), s, s)
	return s
}

// oddScales makes 2s+1 twice of each of 8 dwords s.
func oddScales(w width, s VecVirtual) VecVirtual {
	t := YMM()
	VPSLLD(Imm(16), s, t)
	w.or(t, s, s)
	return oddWords(w, s)
}

// topScales are those in the top 4 bits of 8 dwords.
func topScales(w width, u VecVirtual) VecVirtual {
	s := YMM()
	VPSRLD(Imm(28), u, s)
	return oddScales(w, s)
}

// nibbleScales are those of 4 bytes, for groups of 32.
func nibbleScales(w width, from Mem) VecVirtual {
	s := YMM()
	VPBROADCASTD(from, s)
	VPSRLVD(table("nibbleShift", u32s(0, 4, 8, 12, 16, 20, 24, 28)), s, s)
	w.and(dwords256("nibble", 15), s, s)
	return oddScales(w, s)
}

// pairScales are those of 8 bytes, for groups of 16.
func pairScales(w width, from Mem) VecVirtual {
	x, y := YMM(), YMM()
	VPMOVZXBD(from, x)
	VPSLLD(Imm(12), x, y)
	w.or(y, x, x)
	w.and(words256("nibbles", 15), x, x)
	return oddWords(w, x)
}

// scale stores the float16 at disp times factor. At 48 it is IQ1_M's, in the top nibbles of 4 words.
func (e expander) scale(disp int, factor float32) {
	d, v := GP64(), XMM()
	if disp != 48 {
		MOVWLZX(at(e.src, disp), d.As32())
	} else {
		mask := GP64()
		MOVQ(at(e.src, disp), d)
		MOVQ(U64(0xf000f000f000f000), mask)
		PEXTQ(mask, d, d)
	}
	VMOVD(d.As32(), v)
	VCVTPH2PS(v, v)
	if factor != 1 {
		VMULSS(table("factor", append(u32s(math.Float32bits(factor)), 0, 0, 0, 0)), v, v)
	}
	VMOVSS(v, at(e.dst, plainD))
}
