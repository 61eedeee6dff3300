package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Q2_K and Q3_K: of 64 bytes each half is 128 weights, group k of 32 at bit 2*k. Scales are for groups of 16.
//
// Q2_K: 16 bytes with a 4-bit scale (low half) and min each, the 64 bytes, float16 scales d and dmin. Q3_K: 32 bytes
// whose bit 4*half+k is the third bit of group k's weights, which are larger by 4; the 64 bytes; 12 bytes with 6-bit scales,
// larger by 32: the low 4 bits in the halves of 8 bytes, then the high 2 bits; and a float16 scale.
//
// Q3_K's panel is like Q6_K's, with weights larger by 32 too.
type bits2Type struct {
	name             string
	bytes            int
	scales, bits2, d int  // where these are
	third            bool // Q3_K
}

var (
	q2kType = bits2Type{name: "Q2K", bytes: 84, bits2: 16, scales: 0, d: 80}
	q3kType = bits2Type{name: "Q3K", bytes: 110, bits2: 32, scales: 96, d: 108, third: true}
)

// The end of Q2_K's panel.
const (
	q2kScales = panelEnd        // 16 groups x 32, as storeScales writes them
	q2kMins   = panelEnd + 2048 // 8 x 32 {min of group 2j, of 2j+1}
	q2kD      = panelEnd + 3072 // 32 float32, and as many for dmin
)

func (q *bits2Type) kernels() {
	gemv(avx512, "gemv"+q.name, q.bytes, act16Bytes, q.setup512, q.super512)
	gemv(avx2, "gemv"+q.name, q.bytes, act16Bytes, q.setup256, q.super256)
	for _, w := range widths {
		q.unpack(w)
	}
	if !q.third {
		tileQ2K512("gemmQ2Kx6", 6, false)
		tileQ2K512("gemmQ2Kx6Pairs", 6, true)
		tileQ2K512("gemmQ2Kx4", 4, false)
		tileQ2K256("gemmQ2Kx3", 3)
		tileQ2K256("gemmQ2Kx2", 2)
	}
}

func bits2Mask() Mem  { return table("bits2", repeat(64, 3)) }
func thirdMask() Mem  { return table("third", repeat(64, 4)) }
func thirdExtra() Mem { return table("plus28", repeat(64, 28)) }

// unpack writes the unpack kernel, 16 of every 32 bytes at a time.
func (q *bits2Type) unpack(w width) {
	third := w.regs(4)
	unpack(w, "unpack"+q.name, func(u *unpacker) {
		if q.third {
			q.header3(w, u)
		} else {
			q.header2(w, u)
		}
	}, 2, 16, 4*panelStep, func(u *unpacker) {
		if q.third {
			u.columns(w, 0, third, u.tmp)
		}
		x, t := u.tmp[0], u.tmp[1]
		for n := range 2 {
			u.columns(w, q.bits2+32*n, u.v, u.tmp)
			for i, v := range u.v {
				for k := range 4 {
					VPSRLW(Imm(uint64(2*k)), v, x)
					w.and(bits2Mask(), x, x)
					if q.third {
						addThird(w, third[i], 4*n+k, x, t)
						VPADDB(thirdExtra(), x, x)
					}
					u.store(x, 32*n+8*k+i)
				}
			}
		}
	})
}

// addThird adds bit n of the bytes of bits to v, as the third bit. t is clobbered.
func addThird(w width, bits VecVirtual, n int, v, t VecVirtual) {
	if n < 2 {
		VPSLLW(Imm(uint64(2-n)), bits, t)
	} else {
		VPSRLW(Imm(uint64(n-2)), bits, t)
	}
	w.and(thirdMask(), t, t)
	w.or(t, v, v)
}

// header2 writes the end of Q2_K's panel.
func (q *bits2Type) header2(w width, u *unpacker) {
	x, y, t := u.tmp[0], u.tmp[1], u.tmp[2]
	u.columns(w, q.d+4-16, u.v, u.tmp) // ends with the superblock
	low16 := w.dwords(0xffff)
	halves(w, u.v[3], x, true, low16)
	w.mov(x, at(u.panel, q2kD+panelStep))
	halves(w, u.v[3], x, false, low16)
	w.mov(x, at(u.panel, q2kD))
	u.columns(w, 0, u.v, u.tmp)
	m4 := w.dwords(15)
	field := func(j, shift int, dst VecVirtual) {
		VPSRLD(Imm(uint64(8*(j%4)+shift)), u.v[j/4], dst)
		w.and(m4, dst, dst)
	}
	for j := range 8 {
		field(2*j, 0, x)
		field(2*j+1, 0, y)
		storeScales(w, x, y, t, u.panel, q2kScales, 2*j)
		field(2*j, 4, x)
		field(2*j+1, 4, y)
		VPSLLD(Imm(16), y, y)
		w.or(x, y, y)
		w.mov(y, at(u.panel, q2kMins+panelStep*j))
	}
}

// header3 writes the end of Q3_K's panel.
func (q *bits2Type) header3(w width, u *unpacker) {
	x, t := u.tmp[0], u.tmp[2]
	v := u.v
	u.columns(w, q.scales-2, v, u.tmp) // ends with the superblock: 2 bytes, the scales, d
	halves(w, v[3], x, true, nil)
	w.mov(x, at(u.panel, q6kPanelD))
	for i := range 3 {
		VPSRLD(Imm(16), v[i], v[i])
		VPSLLD(Imm(16), v[i+1], t)
		w.or(t, v[i], v[i])
	}
	m4, m2, bias, low16 := w.dwords(15), w.dwords(0x30), w.dwords(32), w.dwords(0xffff)
	for j := range 16 {
		x := u.tmp[j%2]
		VPSRLD(Imm(uint64(8*(j%4)+4*(j/8))), v[j%8/4], x)
		w.and(m4, x, x)
		if shift := 8*(j%4) + 2*(j/4) - 4; shift < 0 {
			VPSLLD(Imm(uint64(-shift)), v[2], t)
		} else {
			VPSRLD(Imm(uint64(shift)), v[2], t)
		}
		w.and(m2, t, t)
		w.or(t, x, x)
		VPSUBD(bias, x, x)
		w.and(low16, x, x)
		if j%2 == 1 {
			storeScales(w, u.tmp[0], u.tmp[1], t, u.panel, q6kScales, j-1)
		}
	}
}

// tileQ2K512 keeps both sums of a superblock in integers; a group's fits 16 bits.
func tileQ2K512(name string, tokens int, pairs bool) {
	k := newTile(avx512, name, tokens)
	Label("tile")
	k.superblock(grouping{scales: q2kScales, steps: 4}, pairs)
	k.sumPairs(q2kMins, act16Sum, 8)
	k.minsStore(q2kD, act16Scale)
}

func tileQ2K256(name string, tokens int) {
	k := newTile(avx2, name, tokens)
	s, j := GP64(), GP64()
	x := k.reg()
	Label("tile")
	k.clear(k.f)
	MOVQ(k.panel, k.p)
	MOVQ(k.act, k.a)
	LEAQ(at(k.panel, q2kScales), s)
	MOVQ(U32(16), j)
	Label("group")
	k.dotWords(0, 4, x)
	k.scaleWords(s)
	k.nextGroup(4, s, j)
	k.mins256(q2kMins, act16Sum, 8, x)
	k.minsStore(q2kD, act16Scale)
}
