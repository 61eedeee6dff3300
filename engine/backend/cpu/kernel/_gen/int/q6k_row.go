package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

var q6kConst struct {
	mask4, mask2, zero, scales VecVirtual
	left, right                VecVirtual // shifts that bring high bits into place
	spread                     [4]Mem
	spreadTable                Mem
}

func q6kSetup512() {
	c := &q6kConst
	c.mask4, c.mask2 = avx512.dwords(0x0f0f0f0f), avx512.dwords(0x30303030)
	c.zero, c.scales = zeroed(avx512), zeroed(avx512)
	c.left, c.right = ZMM(), ZMM()
	VMOVDQU32(table("q6kLeft", append(repeat(8, 4, 0, 0, 0), repeat(8, 2, 0, 0, 0)...)), c.left)
	VMOVDQU32(table("q6kRight", append(repeat(8, 0, 0, 0, 0), repeat(8, 2, 0, 0, 0)...)), c.right)
	for j := range c.spread {
		var b []byte
		for l := range 4 {
			b = append(b, repeat(8, byte(8*j+2*l), byte(8*j+2*l+1))...)
		}
		c.spread[j] = table("q6kSpread"+string(rune(0x30+j)), b)
	}
}

// q6kSuper512 starts the sums at -32 times those of the activations, which stay in memory.
func q6kSuper512(r, a rows, f []VecVirtual) {
	c := &q6kConst
	acc := make([][]VecVirtual, len(f))
	for t := range f {
		acc[t] = avx512.regs(4)
	}
	for i := range 4 {
		VPMOVSXBW(r.at(i, q6kScale), c.scales.AsY()) // the other half stays zero
		back := ZMM()
		VPSLLW(Imm(5), c.scales, back)
		VPSUBW(back, c.zero, back)
		for t := range f {
			VPMADDWD(a.at(t, act16Sum), back, acc[t][i])
		}
		for h := range 2 {
			ql, qh, lo, x, spread := ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
			VMOVDQU32(r.at(i, 64*h), ql)
			VBROADCASTI64X4(r.at(i, q6kHigh+32*h), qh)
			nibbles(avx512, ql, lo, c.mask4)
			VPSLLVD(c.left, qh, x)
			VPTERNLOGD(Imm(0xf8), c.mask2, x, lo) // lo | x & mask2
			VPSRLVD(c.right, qh, x)
			VPTERNLOGD(Imm(0xf8), c.mask2, x, ql)
			for j, v := range []VecVirtual{lo, ql} {
				VMOVDQU32(c.spread[2*h+j], spread)
				VPERMB(c.scales, spread, spread)
				for t := range f {
					VPMADDUBSW(a.at(t, 64*(2*h+j)), v, x)
					VPDPWSSD(spread, x, acc[t][i])
				}
			}
		}
	}
	d := fourScales(avx512, r, q6kD)
	for t := range f {
		scaleFinish(sums(avx512, acc[t], ZMM()), d, a.at(t, act16Scale), f[t])
	}
}

// scaleFinish adds a superblock of 4 rows to f: the sums t are integers.
func scaleFinish(t, d Register, scale Mem, f Register) {
	dx := XMM()
	VBROADCASTSS(scale, dx)
	VCVTDQ2PS(t, t)
	VMULPS(d, t, t)
	VFMADD231PS(dx, t, f)
}

func q6kSetup256() {
	c := &q6kConst
	c.mask4, c.mask2 = avx2.dwords(0x0f0f0f0f), avx2.dwords(0x30303030)
	c.spreadTable = spread256()
}

// spread256 spreads words 2k and 2k+1 of a lane over it: groups of 16 weights in 4 vectors.
func spread256() Mem {
	var b []byte
	for k := range byte(4) {
		b = append(b, repeat(8, 4*k, 4*k+1)...)
		b = append(b, repeat(8, 4*k+2, 4*k+3)...)
	}
	return table("spread256", b)
}

func q6kSuper256(r rows, a Register, f VecVirtual) {
	c := &q6kConst
	acc := avx2.regs(4)
	ql, s := avx2.regs(2), avx2.regs(2)
	qh, y, t := YMM(), YMM(), YMM()
	for i := range acc {
		VPMOVSXBW(r.at(i, q6kScale), s[0])
		VPMADDWD(at(a, act16Sum), s[0], t)
		VPSLLD(Imm(5), t, t)
		VPXOR(acc[i], acc[i], acc[i])
		VPSUBD(t, acc[i], acc[i])
		VPERMQ(Imm(0xee), s[0], s[1])
		VPERMQ(Imm(0x44), s[0], s[0])
		for h := range 2 {
			VMOVDQU(r.at(i, 64*h), ql[0])
			VMOVDQU(r.at(i, 64*h+32), ql[1])
			VMOVDQU(r.at(i, q6kHigh+32*h), qh)
			for k := range 4 {
				q6kGroup(avx2, k, ql[k%2], qh, y, t, c.mask4, c.mask2)
				VPMADDUBSW(at(a, 128*h+32*k), y, y)
				VPSHUFB(c.spreadTable.Offset(32*k), s[h], t)
				VPMADDWD(t, y, y)
				VPADDD(y, acc[i], acc[i])
			}
		}
	}
	scaleFinish(sums(avx2, acc, t), fourScales(avx2, r, q6kD), at(a, act16Scale), f)
}
