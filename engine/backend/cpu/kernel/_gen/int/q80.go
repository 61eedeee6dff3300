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
	unpack(w, "unpackQ80", func(r rows, panel Register) {
		var flip VecVirtual
		if w == avx512 {
			flip = w.dwords(0x80808080)
		}
		blockScales(w, r, panel, q80Bytes)
		v, tmp := w.regs(4), w.regs(4)
		for j := range 8 {
			for c := range 2 {
				r.columns(w, q80Bytes*j+2+16*c, v, tmp)
				for i := range 4 {
					if w == avx512 {
						VPXORD(flip, v[i], v[i])
					}
					w.mov(v[i], at(panel, panelStep*(8*j+4*c+i)))
				}
			}
		}
	})
}

// gatherScales is the state of reading 4 scales of 4 rows at once.
type gatherScales struct {
	index        VecVirtual
	spread       [2]VecVirtual
	dots, scales Mem
	flip         VecVirtual
	blockBytes   int
}

// newGather prepares it: element 4*j+r of the index is block j of row r; spread repeats 4 sums, each for 4 rows.
func newGather(stride Register, blockBytes int) *gatherScales {
	g := &gatherScales{index: ZMM(), blockBytes: blockBytes}
	var row, block []uint32
	var spread [2][]uint32
	for i := range uint32(16) {
		row = append(row, i%4)
		block = append(block, uint32(blockBytes)*(i/4))
		spread[0] = append(spread[0], i/4)
		spread[1] = append(spread[1], 4+i/4)
	}
	t := ZMM()
	VMOVDQU32(table("row4", u32s(row...)), g.index)
	VPBROADCASTD(stride.(GPVirtual).As32(), t)
	VPMULLD(t, g.index, g.index)
	VPADDD(table("block4", u32s(block...)), g.index, g.index)
	for i := range spread {
		g.spread[i] = ZMM()
		VMOVDQU32(table([]string{"spread0", "spread1"}[i], u32s(spread[i]...)), g.spread[i])
	}
	local := AllocLocal(256)
	g.scales, g.dots = local, local.Offset(128)
	return g
}

// store writes the scales of blocks 4*q to 4*q+3 and their dots, which lack the centring: element 4*j+r is block j of row r.
func (g *gatherScales) store(q int, r rows, a Register, dots VecVirtual) {
	d, c := ZMM(), ZMM()
	VPXORD(d, d, d)
	KXNORW(K1, K1, K1)
	VPGATHERDD(Mem{Base: r.base[0], Index: g.index, Scale: 1, Disp: 4 * g.blockBytes * q}, K1, d)
	VPMOVDW(d, d.AsY())
	VCVTPH2PS(d.AsY(), d)
	VMOVUPS(d, g.scales.Offset(64*q))
	VPERMD(at(a, act32Centre), g.spread[q], c)
	VPADDD(c, dots, dots)
	VCVTDQ2PS(dots, dots)
	VMOVUPS(dots, g.dots.Offset(64*q))
}

var q80Gather *gatherScales

func q80Setup512(stride Register) {
	q80Gather = newGather(stride, q80Bytes)
	q80Gather.flip = avx512.dwords(0x80808080)
}

func q80Super512(r rows, a Register, f VecVirtual) {
	g := q80Gather
	for q := range 2 {
		var pair [2]VecVirtual
		for p := range pair {
			o := 2*q + p // vector of activations, two blocks
			act, v := ZMM(), avx512.regs(4)
			VMOVDQU32(at(a, 64*o), act)
			for i := range v {
				x := ZMM()
				VBROADCASTI64X4(r.at(i, 2*q80Bytes*o+2), x)
				VINSERTI64X4(Imm(1), r.at(i, 2*q80Bytes*o+q80Bytes+2), x, x)
				VPXORD(g.flip, x, x)
				avx512.zero(v[i])
				VPDPBUSD(act, x, v[i])
			}
			laneSums(avx512, v, ZMM())
			pair[p] = v[0]
		}
		even, odd := ZMM(), ZMM()
		VSHUFI32X4(Imm(0x88), pair[1], pair[0], even)
		VSHUFI32X4(Imm(0xdd), pair[1], pair[0], odd)
		VPADDD(even, odd, odd)
		g.store(q, r, a, odd)
	}
	blockSums(a, g.dots, g.scales, f)
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
