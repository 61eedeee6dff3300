package main

import (
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
	{name: "IQ2S", bytes: 82, by16: true, expand: expander.iq2s},
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
