package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The AVX-512 row kernels of IQ2_XXS, IQ2_XS and IQ3 look entries up in vectors: 32 indices at a time, in codebooks with entries of 16
// bits: digits that say which of the type's magnitudes each element has. VPERMI2W looks up 6 bits of the index, masks
// choose by the rest.
type digits struct {
	table   string // package variable: the codebook
	entries int
	size    int    // elements of an entry
	levels  []byte // magnitudes of digits, of 2 bits or of 4
	factor  float32

	index  func(src Mem, h int) VecVirtual          // 32 indices, from 32*h on, as words: 8 bits of them, or all
	upper  func(src Mem, h int, masks []Register)   // the other bits, from bit 8 on, in masks
	signs  func(src Mem) (signs, scales VecVirtual) // signs are nil where they have
	signAt int                                      // a place of their own; codes of 7 otherwise
}

var (
	levels2 = []byte{8, 25, 43, 0}

	iq2xxsDigits = digits{
		table: "iq2xxsDigits", entries: 256, size: 8, levels: levels2, factor: 0.125,
		index: func(src Mem, _ int) VecVirtual {
			x := ZMM()
			VMOVDQU32(src.Offset(2), x)
			VPMOVQD(x, x.AsY())
			VPMOVZXBW(x.AsY(), x)
			return x
		},
		signs: func(src Mem) (signs, scales VecVirtual) { return packedSigns(upperHalves(src.Offset(2))) },
	}
	iq2xsDigits = digits{
		table: "iq2xsDigits", entries: 512, size: 8, levels: levels2, factor: 0.125,
		index: func(src Mem, _ int) VecVirtual {
			x := ZMM()
			VMOVDQU32(src.Offset(2), x)
			return x
		},
		upper: func(src Mem, _ int, masks []Register) {
			x := ZMM()
			VMOVDQU32(src.Offset(2), x)
			VPTESTMW(table("bit8", repeat(32, u16s(256)...)), x, masks[0])
		},
		signs: func(src Mem) (signs, scales VecVirtual) {
			x := ZMM()
			VMOVDQU32(src.Offset(2), x)
			VPSRLW(Imm(9), x, x)
			VPMOVWB(x, x.AsY())
			return x, pairScales(avx512, src.Offset(66))
		},
	}
	iq3xxsDigits = digits{
		table: "iq3xxsDigits", entries: 256, size: 4, levels: []byte{4, 12, 20, 28, 36, 44, 52, 62, 0, 0, 0, 0, 0, 0, 0, 0}, factor: 0.25,
		index: byteIndex,
		signs: func(src Mem) (signs, scales VecVirtual) {
			u := YMM()
			VMOVDQU32(src.Offset(66), u)
			return packedSigns(u)
		},
	}
	iq3sDigits = digits{
		table: "iq3sDigits", entries: 512, size: 4, levels: []byte{1, 3, 5, 7, 9, 11, 13, 15, 0, 0, 0, 0, 0, 0, 0, 0}, factor: 1, signAt: 74,
		index: byteIndex,
		upper: func(src Mem, h int, masks []Register) { KMOVD(src.Offset(66+4*h), masks[0]) },
		signs: func(src Mem) (signs, scales VecVirtual) { return nil, nibbleScales(avx512, src.Offset(106)) },
	}
)

func byteIndex(src Mem, h int) VecVirtual {
	x := ZMM()
	VPMOVZXBW(src.Offset(2+32*h), x)
	return x
}

// packedSigns takes 8 dwords, each with 4 sign codes of 7 bits and a scale of 4.
func packedSigns(u VecVirtual) (signs, scales VecVirtual) {
	signs = ZMM()
	VPMULTISHIFTQB(u, codeShift, signs.AsY())
	return signs, topScales(avx512, u)
}

var codeShift VecVirtual

// lookup is the state of such a kernel.
type lookup struct {
	*gridType
	books []VecVirtual // the even vectors of the codebook, as many as there are registers for
	book  Mem
	shift VecVirtual    // brings an element's digit to its byte
	level VecVirtual    // magnitudes of digits, and of digits with anything above them
	even  [2]VecVirtual // signs for their codes
	stack Mem           // for signs
	zero  VecVirtual
}

func (l *lookup) setup() {
	load := func(name string, b []byte) VecVirtual {
		v := ZMM()
		VMOVDQU32(table(name, b), v)
		return v
	}
	base := GP64()
	LEAQ(NewDataAddr(Symbol{Name: "·" + l.table}, 0), base)
	l.book = Mem{Base: base}
	for j := 0; j < 4 && l.signAt > 0; j++ {
		l.books = append(l.books, ZMM())
		VMOVDQU32(l.book.Offset(128*j), l.books[j])
	}
	offsets := []byte{0, 2, 4, 6, 8, 10, 12, 14}
	if l.size == 4 {
		offsets = []byte{0, 4, 8, 12, 32, 36, 40, 44}
	}
	l.shift = load("digitShift", repeat(8, offsets...))
	l.level = load("levels", repeat(64/len(l.levels), l.levels...))
	l.zero = zeroed(avx512)
	if l.signAt > 0 {
		return
	}
	l.stack = AllocLocal(128)
	var b []byte
	for c := range 128 {
		parity := 0
		for i := range 7 {
			parity ^= c >> i & 1
		}
		b = append(b, byte(c|parity<<7))
	}
	codeShift = YMM()
	VMOVDQU(table("codeShift", repeat(4, 0, 7, 14, 21, 32, 39, 46, 53)), codeShift)
	l.even = [2]VecVirtual{load("even0", b[:64]), load("even1", b[64:])}
}

func (l *lookup) super(r rows, a Register, f VecVirtual) {
	acc, words, scales := avx512.regs(4), make([]VecVirtual, 4), make([]VecVirtual, 4)
	for i := range acc {
		var codes VecVirtual
		avx512.zero(acc[i])
		codes, scales[i] = l.signs(r.at(i, 0))
		if l.signAt == 0 {
			VPERMI2B(l.even[1], l.even[0], codes)
			VMOVDQU32(codes.AsY(), l.stack.Offset(32*i))
		}
	}
	parts := 8 / l.size
	for h := range parts { // of 32 entries
		for i := range words {
			words[i] = l.find(l.index(r.at(i, 0), h), r.at(i, 0), h)
		}
		for q := 4 / parts * h; q < 4/parts*(h+1); q++ {
			l.products(r, a, q, words, scales, acc)
		}
	}
	d := fourScales(avx512, r, 0)
	if l.factor != 1 {
		VMULPS(table("factor", repeat(4, u32s(math.Float32bits(l.factor))...)), d, d)
	}
	scaleFinish(sums(avx512, acc, ZMM()), d, at(a, l.actScale()), f)
}

// products adds those of 64 weights of 4 rows to acc.
func (l *lookup) products(r rows, a Register, q int, words, scales, acc []VecVirtual) {
	act, digits, groups := ZMM(), ZMM(), ZMM()
	VMOVDQU32(at(a, 64*q), act)
	VMOVDQU32(l.spreadWords(q), digits)
	VMOVDQU32(spread64(q), groups)
	for i := range acc {
		v, s, x := ZMM(), ZMM(), ZMM()
		if l.signAt > 0 {
			KMOVQ(r.at(i, l.signAt+8*q), K5)
		} else {
			KMOVQ(l.stack.Offset(32*i+8*q), K5)
		}
		VPERMW(words[i], digits, v)
		VPMULTISHIFTQB(v, l.shift, v)
		VPERMB(l.level, v, v)
		VMOVDQA32(act, x)
		VPSUBB(act, l.zero, K5, x)
		VPMADDUBSW(x, v, v)
		VPERMB(scales[i].AsZ(), groups, s)
		VPDPWSSD(s, v, acc[i])
	}
}

// find looks 32 indices up, words whose bits from bit 8 on may be elsewhere in the superblock.
func (l *lookup) find(idx VecVirtual, src Mem, h int) VecVirtual {
	masks := []Register{K1, K2, K3}
	for b := range 2 {
		VPTESTMW(table(fmt.Sprintf("bit%d", 6+b), repeat(32, u16s(64<<b)...)), idx, masks[b])
	}
	if l.upper != nil {
		l.upper(src, h, masks[2:])
	}
	return l.choose(idx, masks, 0, l.entries/64)
}

// choose looks up in n pairs of vectors of the codebook, from pair first on.
func (l *lookup) choose(idx VecVirtual, masks []Register, first, n int) VecVirtual {
	if n == 1 {
		t, book := ZMM(), ZMM()
		if first < len(l.books) {
			book = l.books[first]
		} else {
			VMOVDQU32(l.book.Offset(128*first), book)
		}
		VMOVDQA32(idx, t)
		VPERMI2W(l.book.Offset(128*first+64), book, t)
		return t
	}
	low, high := l.choose(idx, masks, first, n/2), l.choose(idx, masks, first+n/2, n/2)
	mask := masks[0]
	for m := n; m > 2; m /= 2 {
		masks = masks[1:]
		mask = masks[0]
	}
	VMOVDQU16(high, mask, low)
	return low
}

// spreadWords is the order of the words with the digits of 64 weights: in qwords, or dwords for IQ3.
func (l *lookup) spreadWords(q int) Mem {
	var order []byte
	for j := range 64 / l.size {
		w := byte((64/l.size*q + j) % 32)
		order = append(order, repeat(l.size/2, w, 0)...)
	}
	return table(fmt.Sprintf("wordSpread%d", int(order[0])), order)
}

// spread64 is the order of bytes that spreads words 4q to 4q+3 over the words of 16 weights each.
func spread64(q int) Mem {
	var b []byte
	for l := range 4 {
		b = append(b, repeat(8, byte(8*q+2*l), byte(8*q+2*l+1))...)
	}
	return table(fmt.Sprintf("gridSpread%d", q), b)
}
