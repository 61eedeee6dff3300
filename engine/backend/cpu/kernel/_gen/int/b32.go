package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The types with blocks of 32 and one float16 scale share most of their code. Their panel ends with 8 rows of 32
// float32 scales.

// blockTile writes an AVX-512 panel kernel for them: integer sums start at minus the offset, then one multiply-add a block.
func blockTile(name string, tokens int) {
	k := newTile(avx512, name, tokens)
	s, j, c := GP64(), GP64(), GP64()
	Label("tile")
	k.clear(k.f)
	MOVQ(k.panel, k.p)
	MOVQ(k.act, k.a)
	LEAQ(at(k.act, act32Centre), c)
	LEAQ(at(k.panel, panelEnd), s)
	MOVQ(U32(8), j)
	Label("block")
	k.centre(c, 0)
	for step := range 8 {
		k.dot4(step)
	}
	for h := range 2 {
		VMOVUPS(k.row(s, 0, h), k.w[h])
	}
	k.each(func(i, h int) {
		VCVTDQ2PS(k.t[i][h], k.t[i][h])
		VFMADD231PS(k.w[h], k.t[i][h], k.f[i][h])
	})
	ADDQ(U32(8*panelStep), k.p)
	ADDQ(U32(32), k.a)
	ADDQ(U32(4), c)
	ADDQ(U32(panelStep), s)
	DECQ(j)
	JNZ(LabelRef("block"))
	k.store(act32Scale)
	k.next()
}

// blocks is a type with blocks of 32 and one scale each.
type blocks struct {
	name  string
	bytes int // of a block
	scaleReader
}

// scaleReader reads the scales of blocks as float32.
type scaleReader interface {
	// setup makes the constants of row4 and row2.
	setup(w width, b *blocks)
	// row4 gives the scales of blocks 4*q to 4*q+3 of 4 rows, row2 those of blocks 2*p and 2*p+1: of lane j, block j,
	// element i is row i.
	row4(b *blocks, r rows, q int) VecVirtual
	row2(b *blocks, r rows, p int) VecVirtual
	// column gives those of one block of rows group to group+7.
	column(u *unpacker, group int) VecVirtual
}

// laneMasks select the words of row i among 4 lanes of 4.
var laneMasks = []Register{K1, K2, K3, K4}

// spread has, for each half of a superblock, dwords with 4 times each of its 4 blocks' numbers.
var spread [2]VecVirtual

// setup512 makes the constants of the AVX-512 row kernels.
func (b *blocks) setup512() {
	setupSpread()
	b.setup(avx512, b)
}

func setupSpread() {
	for h := range spread {
		var s []byte
		for j := range 4 {
			s = append(s, repeat(4, byte(4*h+j), 0, 0, 0)...)
		}
		spread[h] = ZMM()
		VMOVDQU32(table([]string{"spread0", "spread1"}[h], s), spread[h])
	}
}

// finish512 ends a superblock of 4 rows: its blocks' integer products, which lack the centring, 4 blocks a vector.
func (b *blocks) finish512(r rows, a Register, dots [2]VecVirtual, f VecVirtual) {
	s, dx := XMM(), XMM()
	VPXORD(s, s, s)
	for h, d := range dots {
		c, scales := ZMM(), b.row4(b, r, h)
		VPERMD(at(a, act32Centre), spread[h], c)
		VPADDD(c, d, d)
		VCVTDQ2PS(d, d)
		VFMADD231PS(scales.AsX(), d.AsX(), s)
		for j := 1; j < 4; j++ {
			x, y := XMM(), XMM()
			VEXTRACTF32X4(Imm(uint64(j)), d, x)
			VEXTRACTF32X4(Imm(uint64(j)), scales, y)
			VFMADD231PS(y, x, s)
		}
	}
	VBROADCASTSS(at(a, act32Scale), dx)
	VFMADD231PS(dx, s, f)
}

// add256 adds two blocks of 4 rows, t their integer products, to s.
func (b *blocks) add256(r rows, p int, t, s VecVirtual) {
	d := b.row2(b, r, p)
	VCVTDQ2PS(t, t)
	VFMADD231PS(d.AsX(), t.AsX(), s)
	VEXTRACTI128(Imm(1), t, t.AsX())
	VEXTRACTI128(Imm(1), d, d.AsX())
	VFMADD231PS(d.AsX(), t.AsX(), s)
}

// unpack writes the unpack kernel; begin makes constants, part unpacks one block of all rows.
func (b *blocks) unpack(w width, begin, part func(u *unpacker)) {
	scales := GP64()
	unpack(w, "unpack"+b.name, func(u *unpacker) {
		LEAQ(at(u.panel, panelEnd), scales)
		begin(u)
	}, 8, b.bytes, 8*panelStep, func(u *unpacker) {
		for group := 0; group < w.rows(); group += 8 {
			VMOVUPS(b.column(u, group), at(scales, 4*group))
		}
		part(u)
		ADDQ(U32(panelStep), scales)
	})
}

// halfScale is a float16 at the start of the block.
type halfScale struct {
	order [2]VecVirtual // of words: 4 times each of where the scales of 4 blocks are
	from  [2]int        // and what to count from
	two   bool          // they lie within two vectors, not one
}

func (h *halfScale) setup(w width, b *blocks) {
	if w != avx512 {
		return
	}
	h.two = 3*b.bytes+2 > 64
	for q := range h.order {
		h.from[q] = min(4*b.bytes*q, 8*b.bytes-map[bool]int{false: 64, true: 128}[h.two])
		var order []byte
		for j := range 4 {
			order = append(order, repeat(4, byte((b.bytes*(4*q+j)-h.from[q])/2), 0)...)
		}
		if q == 1 && h.from[1] == 4*b.bytes {
			h.order[1] = h.order[0]
			break
		}
		h.order[q] = ZMM()
		VMOVDQU32(table([]string{"scales0", "scales1"}[q], append(order, make([]byte, 32)...)), h.order[q])
	}
	for i, k := range laneMasks {
		c := GP32()
		MOVL(U32(0x1111<<i), c)
		KMOVD(c, k)
	}
}

func (h *halfScale) row4(b *blocks, r rows, q int) VecVirtual {
	if h.two {
		return h.row4of2(r, q)
	}
	s := ZMM()
	VPERMW(r.at(0, h.from[q]), h.order[q], s)
	for i := 1; i < 4; i++ {
		VPERMW(r.at(i, h.from[q]), h.order[q], laneMasks[i], s)
	}
	VCVTPH2PS(s.AsY(), s)
	return s
}

func (h *halfScale) row4of2(r rows, q int) VecVirtual {
	s := avx512.regs(4)
	for i, x := range s {
		VMOVDQU32(r.at(i, h.from[q]), x)
		VPERMT2W_Z(r.at(i, h.from[q]+64), h.order[q], laneMasks[i], x)
	}
	VPTERNLOGD(Imm(0xfe), s[0], s[1], s[2]) // or
	VPORD(s[2], s[3], s[3])
	VCVTPH2PS(s[3].AsY(), s[3])
	return s[3]
}

func (h *halfScale) row2(b *blocks, r rows, p int) VecVirtual {
	s := zeroed(avx2)
	for i := range 8 {
		VPINSRW(Imm(uint64(i)), r.at(i%4, b.bytes*(2*p+i/4)), s.AsX(), s.AsX())
	}
	VCVTPH2PS(s.AsX(), s)
	return s
}

func (h *halfScale) column(u *unpacker, group int) VecVirtual {
	x, y := XMM(), YMM()
	VMOVDQU(u.at(group, 0), x) // element 0 is what counts
	for i := 1; i < 8; i++ {
		VPINSRW(Imm(uint64(i)), u.at(group+i, 0), x, x)
	}
	VCVTPH2PS(x, y)
	return y
}
