package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// nibbleType is a type with blocks of 32 whose weights have 4 bits in 16 bytes: the low halves are weights 0 to 15.
type nibbleType struct {
	blocks
	at    int        // where the 16 bytes are in the block
	order blockOrder // for AVX-512
	values
}

// values turns 4 bits, and what else a block has, into weights as the kernels multiply them: unsigned ones larger by the
// type's offset, or signed ones.
type values interface {
	// signedRows tells whether the AVX2 row kernel takes signed weights.
	signedRows() bool
	// setup makes constants.
	setup(w width, t *nibbleType, panel bool)
	// row turns v, lane j of which has the bytes of block first+j of row i, into the weights of the high halves, and low into those
	// of the low halves. tmp is free.
	row(w width, t *nibbleType, r rows, i, first int, v, low, tmp VecVirtual)
	// column begins a block of all rows; then step changes 4 weights of all rows. u.tmp are free but for the first.
	column(u *unpacker, t *nibbleType)
	step(u *unpacker, step int, v VecVirtual)
}

// asTheyAre leaves the 4 bits alone.
type asTheyAre struct{}

func (asTheyAre) signedRows() bool               { return false }
func (asTheyAre) setup(width, *nibbleType, bool) {}
func (asTheyAre) row(w width, _ *nibbleType, _ rows, _, _ int, v, low, _ VecVirtual) {
	nibbles(w, v, low, nibbleMask)
}
func (asTheyAre) column(*unpacker, *nibbleType)   {}
func (asTheyAre) step(*unpacker, int, VecVirtual) {}

// kernels writes the row and unpack kernels.
func (t *nibbleType) kernels() {
	for _, w := range widths {
		super := t.super512
		if w == avx2 {
			super = t.super256
		}
		gemv(w, "gemv"+t.name, 8*t.bytes, blockBytes, func() {
			if w == avx512 {
				t.setup512()
				t.order.setup(t)
			} else {
				ones16 = w.dwords(0x00010001)
				t.blocks.setup(w, &t.blocks)
				if t.mins != nil {
					t.mins.setup(w, &t.blocks)
				}
			}
			nibbleMask = w.dwords(0x0f0f0f0f)
			t.values.setup(w, t, false)
		}, super)
	}
	for _, w := range widths {
		t.unpack(w, func(u *unpacker) {
			nibbleMask = w.dwords(0x0f0f0f0f)
			t.values.setup(w, t, true)
		}, func(u *unpacker) {
			t.column(u, t)
			u.columns(w, t.at, u.v, u.tmp)
			for i, v := range u.v {
				nibbles(w, v, u.tmp[0], nibbleMask)
				t.step(u, i, u.tmp[0])
				u.store(u.tmp[0], i)
				t.step(u, 4+i, v)
				u.store(v, 4+i)
			}
		})
	}
}

var nibbleMask VecVirtual

// nibbles splits bytes: the low halves go to low, the high halves stay in v.
func nibbles(w width, v, low VecVirtual, mask Op) {
	w.and(mask, v, low)
	VPSRLW(Imm(4), v, v)
	w.and(mask, v, v)
}

// super512 works on 4 blocks at a time. What depends on each other stands apart, so that few instructions wait for others.
func (t *nibbleType) super512(r rows, a Register, f VecVirtual) {
	var x, heads, v [2][]VecVirtual
	sums := func(q int) VecVirtual {
		laneSums(avx512, v[q], ZMM())
		return v[q][0]
	}
	scales := func(q int) VecVirtual { return t.row4(&t.blocks, r, q, heads[q]) }
	x[0], heads[0] = t.load512(r, 0)
	v[0] = t.dots512(r, a, 0, x[0])
	x[1], heads[1] = t.load512(r, 1)
	s0, d0 := sums(0), scales(0)
	v[1] = t.dots512(r, a, 1, x[1])
	t.finish512(r, a, 0, s0, d0, f)
	t.finish512(r, a, 1, sums(1), scales(1), f)
}

// dots512 multiplies the bytes x of 4 blocks of 4 rows with the activations.
func (t *nibbleType) dots512(r rows, a Register, q int, x []VecVirtual) []VecVirtual {
	a0, a1, low, high := ZMM(), ZMM(), ZMM(), ZMM()
	VMOVDQU32(at(a, 128*q), a0)
	VMOVDQU32(at(a, 128*q+64), a1)
	VSHUFI32X4(Imm(0x88), a1, a0, low) // halves of 16, as the weights' bytes have them: lane j is block j
	VSHUFI32X4(Imm(0xdd), a1, a0, high)
	v, lo := avx512.regs(4), avx512.regs(4)
	for i := range v {
		t.row(avx512, t, r, i, 4*q, x[i], lo[i], a0)
	}
	for i := range v {
		avx512.zero(v[i])
		VPDPBUSD(low, lo[i], v[i])
	}
	for i := range v {
		VPDPBUSD(high, x[i], v[i])
	}
	return v
}

// load512 reads the bytes of blocks 4*q to 4*q+3 of 4 rows. The upper lanes of heads hold the first two bytes of each block; there are no
// heads where those are out of reach.
func (t *nibbleType) load512(r rows, q int) (v, heads []VecVirtual) {
	v = avx512.regs(4)
	for i := range v {
		VPERMB(r.at(i, 4*t.bytes*q+t.order.from), t.order.v, v[i])
	}
	if t.headsInReach() {
		heads = avx512.regs(4)
	}
	for i := range v {
		if heads != nil {
			VMOVDQA32(v[i], heads[i])
		}
		VMOVDQU32(r.at(i, t.bytes*(4*q+3)+t.at-48), upperLane, v[i]) // faster than a broadcast, which takes a shuffle
	}
	return v, heads
}

// Masks: the dwords of the upper lane, and the second row's words of two rows' heads.
var upperLane, secondRow = K7, K6

// blockOrder takes the weights of 3 blocks from 64 bytes, and for the upper lane the first 2 bytes of 4 blocks, twice.
type blockOrder struct {
	from int // the first of the 64 bytes
	v    VecVirtual
}

func (o *blockOrder) setup(t *nibbleType) {
	var order []byte
	if !t.headsInReach() {
		o.from = t.at
	}
	for j := range 3 {
		for i := range 16 {
			order = append(order, byte(t.bytes*j+t.at+i-o.from))
		}
	}
	for j := range 4 {
		order = append(order, repeat(2, byte(t.bytes*j), byte(t.bytes*j+1))...)
	}
	o.v = table512("blockOrder", order)
	c := GP32()
	MOVL(U32(0xf000), c)
	KMOVD(c, upperLane)
	MOVL(U32(0xaaaaaaaa), c)
	KMOVD(c, secondRow)
}

// joinHeads puts the heads of two rows each together, rows 0 and 1 in heads[0] and rows 2 and 3 in heads[2]: dword j of the upper
// lane is of block j, a word for each row.
func joinHeads(heads []VecVirtual) {
	VMOVDQU16(heads[1], secondRow, heads[0])
	VMOVDQU16(heads[3], secondRow, heads[2])
}

func (t *nibbleType) super256(r rows, a Register, f VecVirtual) {
	for p := range 4 { // 2 blocks
		low, high, tmp := YMM(), YMM(), YMM()
		VMOVDQU(at(a, 64*p), tmp)
		VPERM2I128(Imm(0x20), at(a, 64*p+32), tmp, low)
		VPERM2I128(Imm(0x31), at(a, 64*p+32), tmp, high)
		v, lo := avx2.regs(4), YMM()
		for i := range v {
			avx2.lanes(r.at(i, 2*t.bytes*p+t.at), v[i])
			avx2.insert(1, r.at(i, t.bytes*(2*p+1)+t.at), v[i])
			t.row(avx2, t, r, i, 2*p, v[i], lo, tmp)
			t.products256(low, lo, tmp)
			t.products256(high, v[i], tmp)
			if t.signedRows() { // too large to add up in 16 bits
				VPMADDWD(ones16, lo, lo)
				VPMADDWD(ones16, v[i], v[i])
				VPADDD(lo, v[i], v[i])
				continue
			}
			VPADDW(lo, v[i], v[i])
			VPMADDWD(ones16, v[i], v[i])
		}
		laneSums(avx2, v, lo)
		t.add256(r, a, p, v[0], t.signedRows(), f)
	}
}

// products256 multiplies weights in v with activations and adds up pairs in 16 bits.
func (t *nibbleType) products256(acts, v, tmp VecVirtual) {
	if t.signedRows() {
		signedProducts(acts, v, tmp)
	} else {
		VPMADDUBSW(acts, v, v)
	}
}

// signedProducts does so with signed weights.
func signedProducts(acts, v, tmp VecVirtual) {
	VPSIGNB(v, acts, tmp)
	VPABSB(v, v)
	VPMADDUBSW(tmp, v, v)
}
