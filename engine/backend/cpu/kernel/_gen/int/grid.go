package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The IQ1, IQ2 and IQ3 types: entries of a codebook, chosen by indices of 8 to 11 bits, with signs, or with shifts by an
// eighth. They differ in how a row's superblock comes apart. Each type writes it in one plain form, from which the row
// and unpack kernels of all of them go on. That takes AVX2 and BMI2 on both tiers: most of it are loads from the codebook.
const (
	plainSigns  = 256 // behind 256 bytes of magnitudes: a bit each
	plainScales = 288 // 16 words, for groups of 16
	plainD      = 320 // float32
	plainIndex  = 336 // up to 64 words, while expanding
	plainBytes  = 464
)

// gridType is one of these types.
type gridType struct {
	name    string
	bytes   int  // of a superblock
	by16    bool // scales are for groups of 16, not of 32
	above   int  // unsigned entries: they are so much larger than the weights. In IQ1 a set sign takes 2 off: the shift is down
	expand  func(e expander)
	*digits // of the codebook, or nil
}

var gridTypes = []*gridType{
	{name: "IQ2XXS", bytes: 66, expand: expander.iq2xxs, digits: &iq2xxsDigits},
	{name: "IQ2XS", bytes: 74, by16: true, expand: expander.iq2xs, digits: &iq2xsDigits},
	{name: "IQ2S", bytes: 82, by16: true, expand: expander.iq2s, digits: &iq2sDigits},
	{name: "IQ3XXS", bytes: 98, expand: expander.iq3xxs, digits: &iq3xxsDigits},
	{name: "IQ3S", bytes: 110, expand: expander.iq3s, digits: &iq3sDigits},
	{name: "IQ1S", bytes: 50, by16: true, above: 9, expand: expander.iq1s},
	{name: "IQ1M", bytes: 56, by16: true, above: 9, expand: expander.iq1m},
}

// expander writes the plain form at dst of the superblock at src.
type expander struct {
	src, dst Register
	later    *entries // where not nil, the entries are not written: this says what they are
}

// entries are a superblock's entries of a codebook.
type entries struct {
	book string          // package variable
	size int             // bytes of an entry
	at   func(i int) int // where in the superblock the byte with index i is; nil: words at plainIndex
}

// index reads index i to x. src and dst give a place in the superblock and in the plain form.
func (n *entries) index(i int, src, dst func(disp int) Mem, x GPVirtual) {
	if n.at == nil {
		MOVWLZX(dst(plainIndex+2*i), x.As32())
	} else {
		MOVBLZX(src(n.at(i)), x.As32())
	}
}

// load returns the address of the codebook.
func (n *entries) load() GPVirtual {
	book := GP64()
	LEAQ(NewDataAddr(Symbol{Name: "·" + n.book}, 0), book)
	return book
}

func (e expander) iq2xxs() {
	e.packed(upperHalves(at(e.src, 2)))
	e.gather(entries{"iq2xxsTable", 8, func(i int) int { return 2 + i/4*8 + i%4 }})
	e.scale(0, 0.125)
}

// upperHalves are those of 8 qwords.
func upperHalves(src Mem) VecVirtual {
	x, u := YMM(), YMM()
	VMOVUPS(src, x)
	VSHUFPS(Imm(0xdd), src.Offset(32), x, u)
	VPERMQ(Imm(0xd8), u, u)
	return u
}

func (e expander) iq2xs() {
	var codes [2]VecVirtual
	for h := range codes {
		codes[h] = YMM()
		x, low := YMM(), YMM()
		VMOVDQU(at(e.src, 2+32*h), x)
		VPAND(words256("index9", 0x1ff), x, low)
		e.index(h, low)
		VPSRLW(Imm(9), x, codes[h])
	}
	VPACKUSWB(codes[1], codes[0], codes[0])
	VPERMQ(Imm(0xd8), codes[0], codes[0])
	e.evenSigns(codes[0])
	e.scales(pairScales(avx2, at(e.src, 66)))
	e.gather(entries{"iq2xsTable", 8, nil})
	e.scale(0, 0.125)
}

func (e expander) iq2s() {
	for h := range 2 {
		e.splitIndex(h, 2+16*h, func(x VecVirtual) { VPBROADCASTQ(at(e.src, 66), x) },
			[]byte{byte(4 * h), byte(4*h + 1), byte(4*h + 2), byte(4*h + 3)}, 4, []uint16{256, 64, 16, 4}, 0x300)
	}
	e.signBits(34)
	e.scales(pairScales(avx2, at(e.src, 74)))
	e.gather(entries{"iq2sTable", 8, nil})
	e.scale(0, 0.125)
}

func (e expander) iq3xxs() {
	u := YMM()
	VMOVDQU(at(e.src, 66), u)
	e.packed(u)
	e.gather(entries{"iq3xxsTable", 4, func(i int) int { return 2 + i }})
	e.scale(0, 0.25)
}

func (e expander) iq3s() {
	for h := range 4 {
		e.splitIndex(h, 2+16*h, func(x VecVirtual) { VPBROADCASTQ(at(e.src, 66), x) },
			[]byte{byte(2 * h), byte(2*h + 1)}, 8, []uint16{256, 128, 64, 32, 16, 8, 4, 2}, 0x100)
	}
	e.signBits(74)
	e.scales(nibbleScales(avx2, at(e.src, 106)))
	e.gather(entries{"iq3sTable", 4, nil})
	e.scale(0, 1)
}

func (e expander) iq1s() {
	for h := range 2 {
		e.splitIndex(h, 2+16*h, func(x VecVirtual) { avx2.lanes(at(e.src, 34), x) },
			[]byte{byte(8 * h), byte(8*h + 2), byte(8*h + 4), byte(8*h + 6)}, 4, []uint16{512, 64, 8, 1}, 0xe00)
	}
	x, s := YMM(), YMM()
	VPMOVSXWD(at(e.src, 34), x)
	VPSRLD(Imm(12), x, s)
	VPAND(dwords256("three", 7), s, s)
	e.scales(oddScales(avx2, s))
	VPSRAD(Imm(31), x, x)
	VMOVDQU(x, at(e.dst, plainSigns))
	e.gather(entries{"iq1Table", 8, nil})
	e.scale(0, 0.125)
}

func (e expander) iq1m() {
	for h := range 2 {
		e.splitIndex(h, 16*h, func(x VecVirtual) { avx2.lanes(at(e.src, 32), x) },
			[]byte{byte(8 * h), byte(8*h + 1), byte(8*h + 2), byte(8*h + 3), byte(8*h + 4), byte(8*h + 5), byte(8*h + 6), byte(8*h + 7)},
			2, []uint16{512, 32}, 0xe00)
	}
	x, y := YMM(), YMM()
	VPMOVZXBW(at(e.src, 32), x) // nibbles to bytes; their top bits are the shifts
	VPSLLW(Imm(4), x, y)
	VPOR(y, x, x)
	bit := words256("shiftBit", 0x0808)
	VPAND(bit, x, x)
	VPCMPEQB(bit, x, x)
	VMOVDQU(x, at(e.dst, plainSigns))
	VPBROADCASTQ(at(e.src, 48), x)
	VPSHUFB(table("scaleWords", spreadWords([]byte{0, 2, 4, 6}, 4, true)), x, x)
	VPMULLW(table("scaleShift", repeat(4, u16s(512, 64, 8, 1)...)), x, x)
	VPSRLW(Imm(9), x, x)
	VPAND(words256("three", 7), x, x)
	e.scales(oddWords(avx2, x))
	e.gather(entries{"iq1Table", 8, nil})
	e.scale(48, 0.125)
}

// index stores 16 indices.
func (e expander) index(h int, v VecVirtual) { VMOVDQU(v, at(e.dst, plainIndex+32*h)) }

// splitIndex stores 16 indices: 8 bits at low, and upper bits that load puts in every lane: each of its bytes (words for
// IQ1_S) named in from is for n indices, and is multiplied for each to bring its bits to the mask; a mask past bit 8 is one bit too high.
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
