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
	q6kScales = panelEnd        // in the panel: 16 x 32 dwords, {s, 0} for AVX-512, {s, s} for AVX2
	q6kPanelD = panelEnd + 2048 // 32 float32
)

func q6k() {
	gemv(avx512, "gemvQ6K", q6kBytes, act16Bytes, q6kSetup512, q6kSuper512)
	gemv(avx2, "gemvQ6K", q6kBytes, act16Bytes, q6kSetup256, q6kSuper256)
	for _, w := range widths {
		unpackQ6K(w)
	}
	tileQ6K512("gemmQ6Kx6", 6)
	tileQ6K512("gemmQ6Kx4", 4)
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
	w.mov(table("low16", repeat(16, 0xff, 0xff, 0, 0)), low)
	for j := range 16 {
		VPSLLD(Imm(uint64(24-8*(j%4))), s[j/4], tmp[0])
		VPSRAD(Imm(24), tmp[0], tmp[0])
		w.and(low, tmp[0], tmp[0])
		if w == avx2 {
			VPSLLD(Imm(16), tmp[0], tmp[1])
			VPOR(tmp[1], tmp[0], tmp[0])
		}
		w.mov(tmp[0], at(panel, q6kScales+panelStep*j))
	}
}

// tileQ6K512 keeps the sum of a superblock in integers. The weights are centred: a group's sum starts at -32 times that
// of the activations, and then fits 16 bits if the activations are small, so that one VPDPWSSD multiplies it with
// its scale and adds it up; else it takes a 32-bit product.
func tileQ6K512(name string, tokens int) {
	k := newTile(avx512, name, tokens)
	s, j, c := GP64(), GP64(), GP64()
	sc := k.regs(2)
	group := func() {
		for h := range sc {
			k.mov(k.row(s, 0, h), sc[h])
		}
		k.centre(c, 0)
		for step := range 4 {
			k.dot4(step)
		}
		ADDQ(U32(4*panelStep), k.p)
		ADDQ(U32(16), k.a)
		ADDQ(U32(4), c)
		ADDQ(U32(panelStep), s)
	}
	Label("tile")
	k.clear(k.f)
	MOVQ(k.panel, k.p)
	MOVQ(k.act, k.a)
	LEAQ(at(k.panel, q6kScales), s)
	LEAQ(at(k.act, act16Centre), c)
	MOVQ(U32(16), j)
	for i := range tokens {
		CMPL(k.token(k.act, i, act16Max), U32(32767/32))
		JA(LabelRef("large"))
	}
	Label("small")
	group()
	k.each(func(i, h int) { VPDPWSSD(sc[h], k.t[i][h], k.f[i][h]) })
	DECQ(j)
	JNZ(LabelRef("small"))
	JMP(LabelRef("end"))
	Label("large")
	group()
	for h := range sc {
		VPSLLD(Imm(16), sc[h], sc[h])
		VPSRAD(Imm(16), sc[h], sc[h])
	}
	k.each(func(i, h int) {
		VPMULLD(sc[h], k.t[i][h], k.t[i][h])
		VPADDD(k.t[i][h], k.f[i][h], k.f[i][h])
	})
	DECQ(j)
	JNZ(LabelRef("large"))
	Label("end")
	k.q6kStore()
}

// q6kStore ends a tile: f = d*f, then dst.
func (k *tile) q6kStore() {
	for h := range k.w {
		VMOVUPS(k.row(k.panel, q6kPanelD, h), k.w[h])
	}
	k.each(func(i, h int) {
		VCVTDQ2PS(k.f[i][h], k.f[i][h])
		VMULPS(k.w[h], k.f[i][h], k.f[i][h])
	})
	k.store(act16Scale)
	k.next()
}

// tileQ6K256 sums 4 products of at most 63*127 in 16 bits. The centring comes at the end.
func tileQ6K256(name string, tokens int) {
	k := newTile(avx2, name, tokens)
	s, j := GP64(), GP64()
	x := k.reg()
	Label("tile")
	k.clear(k.f)
	MOVQ(k.panel, k.p)
	MOVQ(k.act, k.a)
	LEAQ(at(k.panel, q6kScales), s)
	MOVQ(U32(16), j)
	Label("group")
	for step := 0; step < 4; step += 2 {
		for half := range 2 {
			k.weights(step + half)
			for i := range tokens {
				VPBROADCASTD(k.token(k.a, i, 4*(step+half)), k.b)
				for h := range 2 {
					t := k.t[i][h]
					if half == 0 {
						VPMADDUBSW(k.b, k.w[h], t)
						continue
					}
					VPMADDUBSW(k.b, k.w[h], x)
					VPADDW(x, t, t)
					VPMADDWD(k.row(s, 0, h), t, t)
					VPADDD(t, k.f[i][h], k.f[i][h])
				}
			}
		}
	}
	ADDQ(U32(4*panelStep), k.p)
	ADDQ(U32(16), k.a)
	ADDQ(U32(panelStep), s)
	DECQ(j)
	JNZ(LabelRef("group"))
	k.clear(k.t)
	for j := range 8 { // pairs of groups
		for h := range k.w {
			VMOVDQU(k.row(k.panel, q6kScales+2*panelStep*j, h), k.w[h])
			VPBLENDW(Imm(0xaa), k.row(k.panel, q6kScales+2*panelStep*j+panelStep, h), k.w[h], k.w[h])
		}
		for i := range tokens {
			VPBROADCASTD(k.token(k.act, i, act16Sum+4*j), k.b)
			for h := range k.w {
				VPMADDWD(k.b, k.w[h], x)
				VPADDD(x, k.t[i][h], k.t[i][h])
			}
		}
	}
	k.each(func(i, h int) {
		VPSLLD(Imm(5), k.t[i][h], k.t[i][h])
		VPSUBD(k.t[i][h], k.f[i][h], k.f[i][h])
	})
	k.q6kStore()
}

var q6kConst struct {
	mask4, mask2, zero, scales VecVirtual
	left, right                VecVirtual // shifts that bring high bits into place
	spread                     [4]VecVirtual
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
		c.spread[j] = ZMM()
		VMOVDQU32(table("q6kSpread"+string(rune('0'+j)), b), c.spread[j])
	}
}

func q6kSuper512(r rows, a Register, f VecVirtual) {
	c := &q6kConst
	acts := avx512.regs(4)
	for i := range acts {
		VMOVDQU32(at(a, 64*i), acts[i])
	}
	acc := avx512.regs(4)
	for i := range acc {
		VPMOVSXBW(r.at(i, q6kScale), c.scales.AsY()) // the other half stays zero
		VPMADDWD(at(a, act16Sum), c.scales, acc[i])
		VPSLLD(Imm(5), acc[i], acc[i])
		VPSUBD(acc[i], c.zero, acc[i])
		for h := range 2 {
			ql, qh, lo, x, spread := ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
			VMOVDQU32(r.at(i, 64*h), ql)
			VBROADCASTI64X4(r.at(i, q6kHigh+32*h), qh)
			nibbles(avx512, ql, lo, c.mask4)
			VPSLLVD(c.left, qh, x)
			VPTERNLOGD(Imm(0xf8), c.mask2, x, lo) // lo | x & mask2
			VPSRLVD(c.right, qh, x)
			VPTERNLOGD(Imm(0xf8), c.mask2, x, ql)
			VPMADDUBSW(acts[2*h], lo, lo)
			VPMADDUBSW(acts[2*h+1], ql, ql)
			VPERMB(c.scales, c.spread[2*h], spread)
			VPDPWSSD(spread, lo, acc[i])
			VPERMB(c.scales, c.spread[2*h+1], spread)
			VPDPWSSD(spread, ql, acc[i])
		}
	}
	q6kFinish(sums(avx512, acc, ZMM()), fourScales(avx512, r, q6kD), a, f)
}

// q6kFinish adds a superblock of 4 rows to f: the sums t are integers.
func q6kFinish(t, d, a, f Register) {
	dx := XMM()
	VBROADCASTSS(at(a, act16Scale), dx)
	VCVTDQ2PS(t, t)
	VMULPS(d, t, t)
	VFMADD231PS(dx, t, f)
}

func q6kSetup256() {
	c := &q6kConst
	c.mask4, c.mask2 = avx2.dwords(0x0f0f0f0f), avx2.dwords(0x30303030)
	var b []byte
	for k := range byte(4) {
		b = append(b, repeat(8, 4*k, 4*k+1)...)
		b = append(b, repeat(8, 4*k+2, 4*k+3)...)
	}
	c.spreadTable = table("q6kSpread256", b)
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
	q6kFinish(sums(avx2, acc, t), fourScales(avx2, r, q6kD), a, f)
}
