package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A superblock of Q6_K: 128 bytes with the low 4 bits of weights plus 32, 64 bytes with their high 2, 16 int8 scales of
// groups of 16, and a float16 scale. Of each half, 128 weights, group k of 32 has its low bits in half k/2 of the bytes
// 32*(k%2) and on, and its high bits at bit 2*k of the 32 bytes of high bits.
const (
	q6kBytes  = 210
	q6kHigh   = 128 // where in the superblock
	q6kScale  = 192
	q6kD      = 208
	q6kScales = panelEnd        // in the panel: 16 groups x 32, as storeScales writes them
	q6kPanelD = panelEnd + 2048 // 32 float32
)

func q6k() {
	for acts := 1; acts <= 4; acts++ {
		gemvs(avx512, "gemvQ6K", acts, q6kBytes, act16Bytes, q6kSetup512, q6kSuper512)
	}
	gemv(avx2, "gemvQ6K", q6kBytes, act16Bytes, q6kSetup256, q6kSuper256)
	for _, w := range widths {
		unpackQ6K(w)
	}
	tileQ6K512("gemmQ6Kx6", 6, 32, false)
	tileQ6K512("gemmQ6Kx6Pairs", 6, 32, true)
	tileQ6K512("gemmQ6Kx4", 4, 32, false)
	tileQ6K256("gemmQ6Kx3", 3)
	tileQ6K256("gemmQ6Kx2", 2)
}

// q6kMask4 and q6kMask2 select a byte's low bits, and its high bits once in place.
func q6kMask4() Mem { return table("q6kMask4", repeat(64, 0x0f)) }
func q6kMask2() Mem { return table("q6kMask2", repeat(64, 0x30)) }

// q6kGroup joins the low bits in ql and the high bits in qh to group k's weights plus 32, in y. t is clobbered.
func q6kGroup(w width, k int, ql, qh, y, t VecVirtual, mask4, mask2 Op) {
	if k < 2 {
		w.and(mask4, ql, y)
	} else {
		VPSRLW(Imm(4), ql, y)
		w.and(mask4, y, y)
	}
	switch k {
	case 0, 1:
		VPSLLW(Imm(uint64(4-2*k)), qh, t)
		w.and(mask2, t, t)
	case 2:
		w.and(mask2, qh, t)
	case 3:
		VPSRLW(Imm(2), qh, t)
		w.and(mask2, t, t)
	}
	w.or(t, y, y)
}

// unpackQ6K makes a panel of weights plus 32, from 16 of every 32 bytes at a time.
func unpackQ6K(w width) {
	unpack(w, "unpackQ6K", func(u *unpacker) {
		q6kHeader(w, u.rows, u.panel, u.v, w.regs(4), u.tmp)
	}, 2, 16, 4*panelStep, func(u *unpacker) {
		ql := [2][]VecVirtual{u.v, w.regs(4)}
		qh := w.regs(4)
		for n := range 2 { // halves of the superblock
			u.columns(w, 64*n, ql[0], u.tmp)
			u.columns(w, 64*n+32, ql[1], u.tmp)
			u.columns(w, q6kHigh+32*n, qh, u.tmp)
			for i := range 4 {
				for k := range 4 {
					q6kGroup(w, k, ql[k%2][i], qh[i], u.tmp[0], u.tmp[1], q6kMask4(), q6kMask2())
					u.store(u.tmp[0], 32*n+8*k+i)
				}
			}
		}
	})
}

// q6kHeader writes the end of the panel.
func q6kHeader(w width, r rows, panel Register, s, d, tmp []VecVirtual) {
	r.columns(w, q6kD-14, d, tmp) // ends with the superblock: the last dword is two scales and d
	halves(w, d[3], tmp[0], true, nil)
	w.mov(tmp[0], at(panel, q6kPanelD))
	r.columns(w, q6kScale, s, tmp)
	low := d[0]
	w.mov(lowHalf(), low)
	for j := range 16 {
		x := tmp[j%2]
		VPSLLD(Imm(uint64(24-8*(j%4))), s[j/4], x)
		VPSRAD(Imm(24), x, x)
		w.and(low, x, x)
		if j%2 == 1 {
			storeScales(w, tmp[0], tmp[1], tmp[2], panel, q6kScales, j-1)
		}
	}
}
