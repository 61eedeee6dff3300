package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Q4_K and Q5_K: a superblock has float16 scales d and dmin, 12 bytes with 8 scales and 8 mins of 6 bits, and 128 bytes
// of 4 bits: of every 32 bytes the low halves are one group of 32 weights and the high halves the next. Q5_K has 32 bytes
// before these, whose bit g is the fifth bit of weights of group g.
type minsType struct {
	name  string
	bytes int
	bits4 int // where the 128 bytes are
	bits1 int // where the 32 bytes are; 0: there are none
}

var (
	q4kType = minsType{name: "Q4K", bytes: 144, bits4: 16}
	q5kType = minsType{name: "Q5K", bytes: 176, bits4: 48, bits1: 16}
)

// The end of the panel.
const (
	q4kScales = panelEnd        // 8 groups x 32, as storeScales writes them
	q4kMins   = panelEnd + 1024 // 4 x 32 {min of group 2j, of 2j+1}
	q4kD      = panelEnd + 1536 // 32 float32
	q4kDmin   = panelEnd + 1664 // 32 float32
)

// largest is the largest weight.
func (q *minsType) largest() int {
	if q.bits1 > 0 {
		return 31
	}
	return 15
}

func (q *minsType) kernels() {
	gemv(avx512, "gemv"+q.name, q.bytes, act32Bytes, q.setup512, q.super512)
	for acts := 2; acts <= 3; acts++ {
		gemvs(avx512, "gemv"+q.name, acts, q.bytes, act32Bytes, q.fewSetup512, q.few512)
	}
	gemv(avx2, "gemv"+q.name, q.bytes, act32Bytes, q.setup256, q.super256)
	for _, w := range widths {
		q.unpack(w)
	}
	q.tile512("gemm"+q.name+"x6", 6, false)
	q.tile512("gemm"+q.name+"x6Pairs", 6, true)
	q.tile512("gemm"+q.name+"x4", 4, false)
	q.tile256("gemm"+q.name+"x3", 3)
	q.tile256("gemm"+q.name+"x2", 2)
}

// fifthBit selects a byte's fifth bit.
func fifthBit() Mem { return table("fifthBit", repeat(64, 16)) }

// unpack writes the unpack kernel. The header's dwords are {d, dmin} and the three of the packed scales.
func (q *minsType) unpack(w width) {
	mask := table("low4", repeat(64, 15))
	fifth := w.regs(8) // dwords of the 32 bytes, shifted to the groups at hand
	unpack(w, "unpack"+q.name, func(u *unpacker) {
		u.columns(w, 0, u.v, u.tmp)
		q4kHeader(w, u.v, u.tmp, u.panel)
		if q.bits1 > 0 {
			u.columns(w, q.bits1, fifth[:4], u.tmp)
			u.columns(w, q.bits1+16, fifth[4:], u.tmp)
		}
	}, 4, 32, 16*panelStep, func(u *unpacker) {
		for c := range 2 {
			u.columns(w, q.bits4+16*c, u.v, u.tmp)
			for i, v := range u.v {
				step := 4*c + i
				nibbles(w, v, u.tmp[0], mask)
				if q.bits1 > 0 {
					addFifth(w, fifth[step], 0, u.tmp[0], u.tmp[1])
					addFifth(w, fifth[step], 1, v, u.tmp[1])
					VPSRLW(Imm(2), fifth[step], fifth[step])
				}
				u.store(u.tmp[0], step)
				u.store(v, 8+step)
			}
		}
	})
}

// addFifth adds bit n of the bytes of bits to v, as the fifth bit. t is clobbered.
func addFifth(w width, bits VecVirtual, n int, v, t VecVirtual) {
	switch {
	case n < 4:
		VPSLLW(Imm(uint64(4-n)), bits, t)
	default:
		VPSRLW(Imm(uint64(n-4)), bits, t)
	}
	w.and(fifthBit(), t, t)
	w.or(t, v, v)
}

// q4kHeader writes the end of the panel.
func q4kHeader(w width, h, tmp []VecVirtual, panel Register) {
	m6, m4, m2, m16 := w.dwords(0x3f), w.dwords(0x0f), w.dwords(0x30), w.dwords(0xffff)
	halves(w, h[0], tmp[0], true, m16)
	w.mov(tmp[0], at(panel, q4kDmin))
	halves(w, h[0], tmp[0], false, m16)
	w.mov(tmp[0], at(panel, q4kD))
	// field is 6-bit number j of word lo; numbers 4 to 7 have their low 4 bits in hi, from bit shift on.
	field := func(j int, lo, hi VecVirtual, shift int, dst, t VecVirtual) {
		if j < 4 {
			VPSRLD(Imm(uint64(8*j)), lo, dst)
			w.and(m6, dst, dst)
			return
		}
		VPSRLD(Imm(uint64(8*(j-4)+shift)), hi, dst)
		w.and(m4, dst, dst)
		VPSRLD(Imm(uint64(8*(j-4)+2)), lo, t)
		w.and(m2, t, t)
		w.or(t, dst, dst)
	}
	for j := range 4 { // pairs of groups
		for i := range 2 {
			field(2*j+i, h[1], h[3], 0, tmp[i], tmp[2])
		}
		storeScales(w, tmp[0], tmp[1], tmp[2], panel, q4kScales, 2*j)
		field(2*j, h[2], h[3], 4, tmp[0], tmp[2])
		field(2*j+1, h[2], h[3], 4, tmp[1], tmp[2])
		VPSLLD(Imm(16), tmp[1], tmp[1])
		w.or(tmp[0], tmp[1], tmp[1])
		w.mov(tmp[1], at(panel, q4kMins+panelStep*j))
	}
}
