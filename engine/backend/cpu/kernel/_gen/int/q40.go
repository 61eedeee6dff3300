package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const q40Bytes = 18 // float16 scale, 32 weights of 4 bits: the low halves are weights 0 to 15

func q40() {
	gemv(avx512, "gemvQ40", 8*q40Bytes, act32Bytes, q40Setup512, q40Super512)
	gemv(avx2, "gemvQ40", 8*q40Bytes, act32Bytes, q40Setup256, q40Super256)
	for _, w := range widths {
		unpackQ40(w)
	}
	tileQ40("gemmQ40x3", 3)
	tileQ40("gemmQ40x2", 2)
}

// unpackQ40 makes a panel of weights plus 8.
func unpackQ40(w width) {
	var mask VecVirtual
	unpackBlocks(w, "unpackQ40", q40Bytes, func(u *unpacker) {
		mask = w.dwords(0x0f0f0f0f)
	}, func(u *unpacker) {
		u.columns(w, 2, u.v, u.tmp)
		for i, v := range u.v {
			nibbles(w, v, u.tmp[0], mask)
			u.store(u.tmp[0], i)
			u.store(v, 4+i)
		}
	})
}

// nibbles splits bytes: the low halves go to low, the high halves stay in v.
func nibbles(w width, v, low, mask VecVirtual) {
	w.and(mask, v, low)
	VPSRLW(Imm(4), v, v)
	w.and(mask, v, v)
}

var q40Mask VecVirtual

func q40Setup512(Register) {
	newLanes(q40Bytes)
	q40Mask = avx512.dwords(0x0f0f0f0f)
}

func q40Super512(r rows, a Register, f VecVirtual) {
	var dots, scales [2]VecVirtual
	for q := range 2 { // 4 blocks
		a0, a1, low, high := ZMM(), ZMM(), ZMM(), ZMM()
		VMOVDQU32(at(a, 128*q), a0)
		VMOVDQU32(at(a, 128*q+64), a1)
		VSHUFI32X4(Imm(0x88), a1, a0, low) // halves of 16, as the weights' bytes have them: lane j is block j
		VSHUFI32X4(Imm(0xdd), a1, a0, high)
		v := avx512.regs(4)
		for i := range v {
			x, lo := ZMM(), ZMM()
			avx512.lanes(r.at(i, q40Bytes*4*q+2), x)
			for j := 1; j < 4; j++ {
				avx512.insert(j, r.at(i, q40Bytes*(4*q+j)+2), x)
			}
			nibbles(avx512, x, lo, q40Mask)
			avx512.zero(v[i])
			VPDPBUSD(low, lo, v[i])
			VPDPBUSD(high, x, v[i])
		}
		laneSums(avx512, v, ZMM())
		dots[q], scales[q] = v[0], ZMM()
		for i := range 4 { // 4 scales lie within 64 bytes
			if i == 0 {
				VPERMW(r.at(i, 4*q40Bytes*q), lanes.scales, scales[q])
			} else {
				VPERMW(r.at(i, 4*q40Bytes*q), lanes.scales, laneMasks[i], scales[q])
			}
		}
	}
	lanes.finish(a, dots, scales, f)
}

func q40Setup256(Register) {
	ones16 = avx2.dwords(0x00010001)
	q40Mask = avx2.dwords(0x0f0f0f0f)
}

// q40Super256 takes two blocks at a time, one a lane.
func q40Super256(r rows, a Register, f VecVirtual) {
	s, dx := XMM(), XMM()
	VXORPS(s, s, s)
	for p := range 4 {
		low, high, c := YMM(), YMM(), YMM()
		VMOVDQU(at(a, 64*p), c)
		VPERM2I128(Imm(0x20), at(a, 64*p+32), c, low)
		VPERM2I128(Imm(0x31), at(a, 64*p+32), c, high)
		v, lo := avx2.regs(4), YMM()
		for i := range v {
			avx2.lanes(r.at(i, q40Bytes*2*p+2), v[i])
			avx2.insert(1, r.at(i, q40Bytes*(2*p+1)+2), v[i])
			nibbles(avx2, v[i], lo, q40Mask)
			VPMADDUBSW(low, lo, lo)
			VPMADDUBSW(high, v[i], v[i])
			VPADDW(lo, v[i], v[i])
			VPMADDWD(ones16, v[i], v[i])
		}
		laneSums(avx2, v, lo)
		t, d := v[0], YMM()
		VPBROADCASTD(at(a, act32Centre+8*p), c)
		VPBROADCASTD(at(a, act32Centre+8*p+4), d)
		VPBLENDD(Imm(0xf0), d, c, c)
		VPADDD(c, t, t)
		VCVTDQ2PS(t, t)
		VPXOR(d, d, d)
		for i := range 8 {
			VPINSRW(Imm(uint64(i)), r.at(i%4, q40Bytes*(2*p+i/4)), d.AsX(), d.AsX())
		}
		VCVTPH2PS(d.AsX(), d)
		VFMADD231PS(d.AsX(), t.AsX(), s)
		VEXTRACTI128(Imm(1), t, t.AsX())
		VEXTRACTI128(Imm(1), d, d.AsX())
		VFMADD231PS(d.AsX(), t.AsX(), s)
	}
	VBROADCASTSS(at(a, act32Scale), dx)
	VFMADD231PS(dx, s, f)
}

// dotWords adds the products of 32 unsigned and 32 signed bytes, 8 steps, to 16-bit sums in t: 16 products of at most
// 15*127 each. x is clobbered.
func (k *tile) dotWords(x VecVirtual) {
	for step := range 8 {
		k.weights(step)
		for i := range k.tokens {
			VPBROADCASTD(k.token(k.a, i, 4*step), k.b)
			for h := range 2 {
				if step == 0 {
					VPMADDUBSW(k.b, k.w[h], k.t[i][h])
					continue
				}
				VPMADDUBSW(k.b, k.w[h], x)
				VPADDW(x, k.t[i][h], k.t[i][h])
			}
		}
	}
}

// tileQ40 is the panel kernel for AVX2.
func tileQ40(name string, tokens int) {
	k := newTile(avx2, name, tokens)
	s, j, c := GP64(), GP64(), GP64()
	x := k.reg()
	one := table("ones16", repeat(16, 1, 0))
	Label("tile")
	k.clear(k.f)
	MOVQ(k.panel, k.p)
	MOVQ(k.act, k.a)
	LEAQ(at(k.act, act32Centre), c)
	LEAQ(at(k.panel, panelEnd), s)
	MOVQ(U32(8), j)
	Label("block")
	k.dotWords(x)
	for i := range tokens {
		VPBROADCASTD(k.token(c, i, 0), k.b)
		for h := range 2 {
			t := k.t[i][h]
			VPMADDWD(one, t, t)
			VPADDD(k.b, t, t)
			VCVTDQ2PS(t, t)
			VFMADD231PS(k.row(s, 0, h), t, k.f[i][h])
		}
	}
	ADDQ(U32(8*panelStep), k.p)
	ADDQ(U32(32), k.a)
	ADDQ(U32(4), c)
	ADDQ(U32(panelStep), s)
	DECQ(j)
	JNZ(LabelRef("block"))
	k.store(act32Scale)
	k.next()
}
