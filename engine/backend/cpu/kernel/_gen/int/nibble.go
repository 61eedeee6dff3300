package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// nibbleType is a type with blocks of 32 whose weights have 4 bits in 16 bytes: the low halves are weights 0 to 15.
type nibbleType struct {
	blocks
	at int // where the 16 bytes are in the block
	values
}

// values turns 4 bits, and what else a block has, into weights as the kernels multiply them: unsigned ones larger by the
// type's offset, or signed ones.
type values interface {
	// signedRows tells whether the AVX2 row kernel takes signed weights.
	signedRows() bool
	// setup makes constants.
	setup(w width, t *nibbleType, panel bool)
	// row changes the low and high halves' vectors, lane j of which is block first+j of row i. tmp is free.
	row(w width, t *nibbleType, r rows, i, first int, low, high, tmp VecVirtual)
	// column begins a block of all rows; then step changes 4 weights of all rows. u.tmp are free but for the first.
	column(u *unpacker, t *nibbleType)
	step(u *unpacker, step int, v VecVirtual)
}

// asTheyAre leaves the 4 bits alone.
type asTheyAre struct{}

func (asTheyAre) signedRows() bool                                                           { return false }
func (asTheyAre) setup(width, *nibbleType, bool)                                             {}
func (asTheyAre) row(width, *nibbleType, rows, int, int, VecVirtual, VecVirtual, VecVirtual) {}
func (asTheyAre) column(*unpacker, *nibbleType)                                              {}
func (asTheyAre) step(*unpacker, int, VecVirtual)                                            {}

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

func (t *nibbleType) super512(r rows, a Register, f VecVirtual) {
	var dots [2]VecVirtual
	for q := range dots { // 4 blocks
		a0, a1, low, high := ZMM(), ZMM(), ZMM(), ZMM()
		VMOVDQU32(at(a, 128*q), a0)
		VMOVDQU32(at(a, 128*q+64), a1)
		VSHUFI32X4(Imm(0x88), a1, a0, low) // halves of 16, as the weights' bytes have them: lane j is block j
		VSHUFI32X4(Imm(0xdd), a1, a0, high)
		v := avx512.regs(4)
		for i := range v {
			x, lo := ZMM(), ZMM()
			t.load(avx512, r, i, 4*q, x)
			nibbles(avx512, x, lo, nibbleMask)
			t.row(avx512, t, r, i, 4*q, lo, x, a0)
			avx512.zero(v[i])
			VPDPBUSD(low, lo, v[i])
			VPDPBUSD(high, x, v[i])
		}
		laneSums(avx512, v, ZMM())
		dots[q] = v[0]
	}
	t.finish512(r, a, dots, f)
}

// load reads the bytes of as many blocks as a vector has lanes.
func (t *nibbleType) load(w width, r rows, i, first int, v VecVirtual) {
	w.lanes(r.at(i, t.bytes*first+t.at), v)
	for j := 1; j < int(w); j++ {
		w.insert(j, r.at(i, t.bytes*(first+j)+t.at), v)
	}
}

func (t *nibbleType) super256(r rows, a Register, f VecVirtual) {
	for p := range 4 { // 2 blocks
		low, high, tmp := YMM(), YMM(), YMM()
		VMOVDQU(at(a, 64*p), tmp)
		VPERM2I128(Imm(0x20), at(a, 64*p+32), tmp, low)
		VPERM2I128(Imm(0x31), at(a, 64*p+32), tmp, high)
		v, lo := avx2.regs(4), YMM()
		for i := range v {
			t.load(avx2, r, i, 2*p, v[i])
			nibbles(avx2, v[i], lo, nibbleMask)
			t.row(avx2, t, r, i, 2*p, lo, v[i], tmp)
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
