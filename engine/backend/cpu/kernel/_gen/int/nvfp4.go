package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// NVFP4: 4 scales of 8 bits and 4 times 8 bytes with 16 weights of 4 bits as MXFP4's, low halves first. A scale is a float
// of 4 exponent and 3 mantissa bits, which a float16 with the same bits further up is a power of two of.
const nvfp4Bytes = 36 // of 64 weights

var nvfp4Const struct {
	twice, shift, mask, book VecVirtual
}

func nvfp4() {
	gemv(avx512, "gemvNVFP4", 4*nvfp4Bytes, blockBytes, nvfp4Setup512, nvfp4Super512)
	gemv(avx2, "gemvNVFP4", 4*nvfp4Bytes, blockBytes, nvfp4Setup256, nvfp4Super256)
	for _, w := range widths {
		unpackNVFP4(w)
	}
}

func nvfp4Setup512() {
	c := &nvfp4Const
	c.twice = table512("twice", u64s(0, 0, 1, 1, 2, 2, 3, 3))
	c.shift = table512("halfShift", u64s(0, 4, 0, 4, 0, 4, 0, 4))
	c.book = mxfp4Book().vector(avx512)
}

func u64s(v ...uint32) []byte {
	var b []byte
	for _, x := range v {
		b = append(b, u32s(x, 0)...)
	}
	return b
}

func mxfp4Book() *codebook { return mxfp4Type.values.(*codebook) }

func nvfp4Super512(r rows, a Register, f VecVirtual) {
	c := &nvfp4Const
	for q := range 4 { // a block, a group of 16 a lane
		act, v := ZMM(), avx512.regs(4)
		VMOVDQU32(at(a, 64*q), act)
		for i := range v {
			x := ZMM()
			VBROADCASTI64X4(r.at(i, nvfp4Bytes*q+4), x)
			VPERMQ(x, c.twice, x)
			VPSRLVQ(c.shift, x, x)
			VPERMB(c.book, x, x) // 4 copies, chosen by bits that do not count
			avx512.zero(v[i])
			VPDPBUSD(act, x, v[i])
		}
		laneSums(avx512, v, ZMM())
		t, dx, back, d := v[0], ZMM(), ZMM(), nvfp4Scales(avx512, r, q)
		VPERMD(at(a, halvesStart), table512("lane"+string(rune('0'+q)), spreadDwords(2*q, 8+2*q, 2*q+1, 8+2*q+1)), dx)
		VPADDD(dx, t, t)
		pairs := spreadDwords(2*q, 2*q, 2*q+1, 2*q+1)
		VPERMD(at(a, halvesScale), table512("pair"+string(rune('0'+q)), pairs), dx)
		VPERMD(at(a, halvesBack), table512("pair"+string(rune('0'+q)), pairs), back)
		VFMADD213PS(back, dx, t)
		for j := range 4 {
			x, y := t.AsX(), d.AsX()
			if j > 0 {
				x, y = XMM(), XMM()
				VEXTRACTF32X4(Imm(uint64(j)), t, x)
				VEXTRACTF32X4(Imm(uint64(j)), d, y)
			}
			VFMADD231PS(x, y, f)
		}
	}
}

// spreadDwords repeats each number 4 times.
func spreadDwords(v ...int) []byte {
	var b []byte
	for _, x := range v {
		b = append(b, repeat(4, byte(x), 0, 0, 0)...)
	}
	return b
}

// nvfp4Scales are those of block q, of 4 rows: of lane j, group j. For AVX2 it is half a block.
func nvfp4Scales(w width, r rows, q int) VecVirtual {
	x, half := XMM(), YMM()
	disp := nvfp4Bytes * q
	if w == avx2 {
		disp = nvfp4Bytes * (q / 2)
	}
	VMOVD(r.at(0, disp), x)
	for i := 1; i < 4; i++ {
		VPINSRD(Imm(uint64(i)), r.at(i, disp), x, x)
	}
	VPSHUFB(table("scaleTurn", []byte{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}), x, x)
	nvfp4Float(x, half, w == avx2 && q%2 == 1)
	d := w.reg()
	if w == avx512 {
		VCVTPH2PS(half, d)
	} else {
		VCVTPH2PS(half.AsX(), d)
	}
	VMULPS(table("scaleFactor", repeat(16, u32s(0x43000000)...)), d, d) // 128
	return d
}

// nvfp4Float turns bytes into float16 of a 128th; high takes the upper 8 of 16.
func nvfp4Float(x, half VecVirtual, high bool) {
	t := XMM()
	low7 := table("low7", repeat(16, 0x7f))
	VPCMPEQB(low7, x, t) // counts as zero
	VPAND(low7, x, x)
	VPANDN(x, t, x)
	if high {
		VPSRLDQ(Imm(8), x, x)
	}
	VPMOVZXBW(x, half)
	VPSLLW(Imm(7), half, half)
}

func nvfp4Setup256() {
	c := &nvfp4Const
	c.mask, c.book = avx2.dwords(0x0f0f0f0f), mxfp4Book().vector(avx2)
	ones16 = avx2.dwords(0x00010001)
}

// nvfp4Pair has two groups of 16 weights, signed.
func nvfp4Pair(from Mem, x VecVirtual) {
	c := &nvfp4Const
	avx2.lanes(from, x)
	VPERMQ(Imm(0x50), x, x)
	VPSRLVQ(table("pairShift", u64s(0, 4, 0, 4)), x, x)
	VPAND(c.mask, x, x)
	VPSHUFB(x, c.book, x)
}

func nvfp4Super256(r rows, a Register, f VecVirtual) {
	for p := range 8 { // two groups
		act, v, tmp, dx := YMM(), avx2.regs(4), YMM(), YMM()
		VMOVDQU(at(a, 32*p), act)
		for i := range v {
			nvfp4Pair(r.at(i, p/2*nvfp4Bytes+4+p%2*16), v[i])
			signedProducts(act, v[i], tmp)
			VPMADDWD(ones16, v[i], v[i])
		}
		laneSums(avx2, v, tmp)
		t := v[0]
		VBROADCASTSS(at(a, halvesScale+4*p), dx)
		VCVTDQ2PS(t, t)
		VMULPS(dx, t, t)
		d := nvfp4Scales(avx2, r, p)
		VFMADD231PS(t.AsX(), d.AsX(), f)
		VEXTRACTI128(Imm(1), t, t.AsX())
		VEXTRACTI128(Imm(1), d, d.AsX())
		VFMADD231PS(t.AsX(), d.AsX(), f)
	}
}

// unpackNVFP4 makes a panel of weights larger by 12 for AVX-512, signed for AVX2, with 16 rows of scales.
func unpackNVFP4(w width) {
	c := &nvfp4Const
	var above VecVirtual
	expandedPanel(w, "unpackNVFP4", 16, func() {
		c.mask, c.book = avx2.dwords(0x0f0f0f0f), mxfp4Book().vector(avx2)
		above = avx2.dwords(0x0c0c0c0c)
	}, func(src, dst Register) {
		x, d := YMM(), XMM()
		for p := range 8 {
			nvfp4Pair(at(src, p/2*nvfp4Bytes+4+p%2*16), x)
			if w == avx512 {
				VPADDB(above, x, x)
			}
			VMOVDQU(x, at(dst, 32*p))
		}
		for q := range 4 {
			half := YMM()
			VMOVD(at(src, nvfp4Bytes*q), d)
			nvfp4Float(d, half, false)
			VCVTPH2PS(half.AsX(), half)
			VMULPS(table("scaleFactor", repeat(16, u32s(0x43000000)...)), half, half)
			VMOVUPS(half.AsX(), at(dst, expandedScales+16*q))
		}
	})
}

// halvesTile512 is the panel kernel for groups of 16 with a float32 scale each; the activations' scales are for 32.
func halvesTile512(name string, tokens int) {
	k := newTile(avx512, name, tokens)
	s, j, c := GP64(), GP64(), GP64()
	back := k.reg()
	k.halves(c, s, j, func(half int) {
		k.centre(c, halvesStart-halvesScale+32*half)
		for step := range 4 {
			k.dot4(4*half + step)
		}
		for h := range 2 {
			VMOVUPS(k.row(s, panelStep*half, h), k.w[h])
		}
		for i := range tokens {
			k.unmagic(c, i, back)
			for h := range 2 {
				VFMADD231PS(k.w[h], k.t[i][h], k.f[i][h])
			}
		}
	})
}

// halves writes the loops of such a kernel: group is one of two under one scale of activations.
func (k *tile) halves(c, s, j Register, group func(half int)) {
	Label("tile")
	k.load()
	MOVQ(k.panel, k.p)
	MOVQ(k.act, k.a)
	LEAQ(at(k.act, halvesScale), c)
	LEAQ(at(k.panel, panelEnd), s)
	MOVQ(U32(8), j)
	Label("group")
	group(0)
	group(1)
	ADDQ(U32(4), c)
	ADDQ(U32(panelStep), s)
	k.nextGroup(8, s, j)
	k.storeSums()
	k.next()
}

// halvesTile256 takes signed weights of at most 12: 8 products of at most 12*127 fit 16 bits.
func halvesTile256(name string, tokens int) {
	k := newTile(avx2, name, tokens)
	s, j, c := GP64(), GP64(), GP64()
	one, abs, x := k.dwords(0x00010001), k.regs(2), k.reg()
	k.halves(c, s, j, func(half int) {
		k.signedSteps(4*half, 4, abs, x, func(VecVirtual) {}, func(t VecVirtual) { VPADDW(x, t, t) })
		k.each(func(i, h int) { VPMADDWD(one, k.t[i][h], k.t[i][h]) })
		for i := range tokens {
			k.scaleActs(c, i)
			for h := range 2 {
				VFMADD231PS(k.row(s, panelStep*half, h), k.t[i][h], k.f[i][h])
			}
		}
	})
}
