package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const q80Bytes = 34 // float16 scale, 32 int8

func q80() {
	gemv(avx512, "gemvQ80", 8*q80Bytes, act32Bytes, q80Setup512, q80Super512)
	gemv(avx2, "gemvQ80", 8*q80Bytes, act32Bytes, q80Setup256, q80Super256)
	for _, w := range widths {
		unpackQ80(w)
	}
	tileQ80("gemmQ80x2", 2)
}

// unpackQ80 makes a panel; its bytes are unsigned, the weight plus 128, for AVX-512 and signed for AVX2.
func unpackQ80(w width) {
	var flip VecVirtual
	unpackBlocks(w, "unpackQ80", q80Bytes, func(u *unpacker) {
		if w == avx512 {
			flip = w.dwords(0x80808080)
		}
	}, func(u *unpacker) {
		for c := range 2 {
			u.columns(w, 2+16*c, u.v, u.tmp)
			for i, v := range u.v {
				if w == avx512 {
					VPXORD(flip, v, v)
				}
				u.store(v, 4*c+i)
			}
		}
	})
}

var q80Flip VecVirtual

func q80Setup512(Register) {
	newLanes(q80Bytes)
	q80Flip = avx512.dwords(0x80808080)
}

func q80Super512(r rows, a Register, f VecVirtual) {
	var dots, scales [2]VecVirtual
	for q := range 2 { // 4 blocks
		var pair [2]VecVirtual
		for p := range pair {
			o := 2*q + p // vector of activations, two blocks
			act, v := ZMM(), avx512.regs(4)
			VMOVDQU32(at(a, 64*o), act)
			for i := range v {
				x := ZMM()
				VBROADCASTI64X4(r.at(i, 2*q80Bytes*o+2), x)
				VINSERTI64X4(Imm(1), r.at(i, 2*q80Bytes*o+q80Bytes+2), x, x)
				VPXORD(q80Flip, x, x)
				avx512.zero(v[i])
				VPDPBUSD(act, x, v[i])
			}
			laneSums(avx512, v, ZMM())
			pair[p] = v[0]
		}
		even := ZMM()
		dots[q] = ZMM()
		VSHUFI32X4(Imm(0x88), pair[1], pair[0], even)
		VSHUFI32X4(Imm(0xdd), pair[1], pair[0], dots[q])
		VPADDD(even, dots[q], dots[q])
		var x [4]VecVirtual
		for i := range x { // 4 scales lie within 128 bytes
			x[i] = ZMM()
			VMOVDQU32(r.at(i, 4*q80Bytes*q), x[i])
			VPERMT2W_Z(r.at(i, 4*q80Bytes*q+64), lanes.scales, laneMasks[i], x[i])
		}
		VPTERNLOGD(Imm(0xfe), x[0], x[1], x[2]) // or
		VPORD(x[2], x[3], x[3])
		scales[q] = x[3]
	}
	lanes.finish(a, dots, scales, f)
}

// The AVX2 kernels move the weight's sign to the activation: |w| times the signed a is at most 128*127 a product, so that
// the pairwise sums of VPMADDUBSW stay within 16 bits.

var ones16 VecVirtual

func q80Setup256(Register) { ones16 = avx2.dwords(0x00010001) }

func q80Super256(r rows, a Register, f VecVirtual) {
	s := XMM()
	VXORPS(s, s, s)
	for j := range 8 {
		act, v, tmp := YMM(), avx2.regs(4), YMM()
		VMOVDQU(at(a, 32*j), act)
		for i := range v {
			VMOVDQU(r.at(i, q80Bytes*j+2), v[i])
			VPSIGNB(v[i], act, tmp)
			VPABSB(v[i], v[i])
			VPMADDUBSW(tmp, v[i], v[i])
			VPMADDWD(ones16, v[i], v[i])
		}
		t := sums(avx2, v, tmp)
		VCVTDQ2PS(t, t)
		VFMADD231PS(fourScales(avx2, r, q80Bytes*j), t, s)
	}
	dx := XMM()
	VBROADCASTSS(at(a, act32Scale), dx)
	VFMADD231PS(dx, s, f)
}

// fourScales reads the float16 at disp of 4 rows.
func fourScales(w width, r rows, disp int) VecVirtual {
	d := XMM()
	w.zero(d)
	for i := range 4 {
		VPINSRW(Imm(uint64(i)), r.at(i, disp), d, d)
	}
	VCVTPH2PS(d, d)
	return d
}

// tileQ80 is the panel kernel for AVX2.
func tileQ80(name string, tokens int) {
	k := newTile(avx2, name, tokens)
	s, j := GP64(), GP64()
	one := k.dwords(0x00010001)
	abs, x := k.regs(2), k.reg()
	Label("tile")
	k.clear(k.f)
	MOVQ(k.panel, k.p)
	MOVQ(k.act, k.a)
	LEAQ(at(k.panel, panelEnd), s)
	MOVQ(U32(8), j)
	Label("block")
	for step := range 8 {
		k.weights(step)
		for h := range abs {
			VPABSB(k.w[h], abs[h])
		}
		for i := range tokens {
			VPBROADCASTD(k.token(k.a, i, 4*step), k.b)
			for h := range abs {
				t := k.t[i][h]
				if step > 0 {
					t = x
				}
				VPSIGNB(k.w[h], k.b, t)
				VPMADDUBSW(t, abs[h], t)
				VPMADDWD(one, t, t)
				if step > 0 {
					VPADDD(t, k.t[i][h], k.t[i][h])
				}
			}
		}
	}
	k.each(func(i, h int) {
		VCVTDQ2PS(k.t[i][h], k.t[i][h])
		VFMADD231PS(k.row(s, 0, h), k.t[i][h], k.f[i][h])
	})
	ADDQ(U32(8*panelStep), k.p)
	ADDQ(U32(32), k.a)
	ADDQ(U32(panelStep), s)
	DECQ(j)
	JNZ(LabelRef("block"))
	k.store(act32Scale)
	k.next()
}
