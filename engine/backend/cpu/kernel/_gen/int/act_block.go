package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Layouts of a prepared superblock with a scale for each block of 32, as int_act_block.go defines them.
const (
	blockStart = 256 // 8 int32: bits of magic, less offset * sum
	blockScale = 288 // 8 float32
	blockBack  = 320 // 8 float32: -magic * scale
	blockSum   = 352 // 8 float32: scale * sum
	blockBytes = 384

	halvesStart = 256 // 8 int32 for the first 16 of each block, 8 for the second
	halvesScale = 320 // 8 float32
	halvesBack  = 352 // 8 float32

	bitsMagic      = 0x4b400000 // 3 * 2^22
	bitsMinusMagic = 0xcb400000
	bitsHuge       = 0x73800000 // 2^104
)

// blockQuantizer writes the kernel that prepares superblocks of activations with a scale for each 32, and a start for each
// 32 or each 16.
func blockQuantizer(w width, halves bool) {
	name, starts := "quantBlocks", avx2
	if halves {
		name, starts = "quantHalves", w
	}
	w.begin(name, "func(x *float32, supers int, dst *byte, offset int)")
	x := Load(Param("x"), GP64())
	n := Load(Param("supers"), GP64())
	dst := Load(Param("dst"), GP64())
	negOff := starts.broadcastGP(Load(Param("offset"), GP64()).(GPVirtual))
	VPSUBD(negOff, zeroed(starts), negOff)
	q := quantConsts(w)
	Label("super")
	peaks := blockPeaks(w, x, q.abs)
	magic := table("magic", u32s(repeated(16, bitsMagic)...))
	if halves {
		blockScales(peaks, dst, halvesScale, halvesBack, halvesStart)
		quantizeBlocks(w, x, dst, halvesStart, q)
		for i, s := range evenOdd(w, groupSums(w, dst, false, q)) {
			VPMULLD(negOff, s, s)
			VPADDD(magic, s, s)
			w.mov(s, at(dst, halvesStart+w.bytes()*i))
		}
	} else {
		blockScales(peaks, dst, blockScale, blockBack, blockSum)
		quantizeBlocks(w, x, dst, blockSum, q)
		sum, start := words(w, groupSums(w, dst, false, q)), YMM()
		VPMADDWD(q.ones16.AsY(), sum, sum)
		VPMULLD(negOff, sum, start)
		VPADDD(magic, start, start)
		VMOVDQU(start, at(dst, blockStart))
		VCVTDQ2PS(sum, sum)
		VMULPS(at(dst, blockScale), sum, sum)
		VMOVUPS(sum, at(dst, blockSum))
	}
	ADDQ(U32(1024), x)
	ADDQ(U32(blockBytes), dst)
	DECQ(n)
	JNZ(LabelRef("super"))
	VZEROUPPER()
	RET()
}

// evenOdd sorts 16 dwords: the even ones, then the odd ones.
func evenOdd(w width, v []VecVirtual) []VecVirtual {
	if w == avx512 {
		order := ZMM()
		VMOVDQU32(table("evenOdd", u32s(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15)), order)
		VPERMD(v[0], order, v[0])
		return v
	}
	odd := YMM()
	VSHUFPS(Imm(0xdd), v[1], v[0], odd)
	VSHUFPS(Imm(0x88), v[1], v[0], v[0])
	VPERMQ(Imm(0xd8), odd, odd)
	VPERMQ(Imm(0xd8), v[0], v[0])
	return []VecVirtual{v[0], odd}
}

// repeated is n times v.
func repeated(n int, v uint32) []uint32 {
	s := make([]uint32, n)
	for i := range s {
		s[i] = v
	}
	return s
}

// blockPeaks is the largest magnitude of each of 8 blocks, as integers.
func blockPeaks(w width, x Register, abs VecVirtual) VecVirtual {
	var quads [2]VecVirtual
	for q := range quads {
		v, t := w.regs(4), w.reg()
		for i := range v {
			for o := 0; o < 128; o += w.bytes() {
				from := at(x, 128*(4*q+i)+o)
				if o == 0 {
					w.and(from, abs, v[i])
					continue
				}
				w.and(from, abs, t)
				VPMAXUD(t, v[i], v[i])
			}
		}
		quads[q] = lanePeaks(w, v, t)
	}
	peaks := YMM()
	VINSERTI128(Imm(1), quads[1].AsX(), quads[0].AsY(), peaks)
	return peaks
}

// lanePeaks is the largest dword of each of 4 vectors, in the low lane.
func lanePeaks(w width, v []VecVirtual, t VecVirtual) VecVirtual {
	for i := 0; i < 4; i += 2 {
		VPUNPCKHDQ(v[i+1], v[i], t)
		VPUNPCKLDQ(v[i+1], v[i], v[i])
		VPMAXUD(t, v[i], v[i])
	}
	VPUNPCKHQDQ(v[2], v[0], t)
	VPUNPCKLQDQ(v[2], v[0], v[0])
	VPMAXUD(t, v[0], v[0])
	if w == avx512 {
		VEXTRACTI64X4(Imm(1), v[0], t.AsY())
		VPMAXUD(t.AsY(), v[0].AsY(), v[0].AsY())
	}
	VEXTRACTI128(Imm(1), v[0].AsY(), t.AsX())
	VPMAXUD(t.AsX(), v[0].AsX(), v[0].AsX())
	return v[0]
}

// blockScales writes the scales and their multiples. In a spare place it leaves 127/peak, or zero where the block counts as zero
// or is not finite.
func blockScales(peak VecVirtual, dst Register, to, back, spare int) {
	live, huge, inv, scale, c := YMM(), YMM(), YMM(), YMM(), YMM()
	constant := func(name string, bits uint32) Mem { return table(name, u32s(repeated(8, bits)...)) }
	VMOVDQU(constant("belowTiny", bitsTiny-1), c)
	VPCMPGTD(c, peak, live)
	VPCMPGTD(constant("belowHuge", bitsHuge-1), peak, huge)
	VMOVUPS(constant("bits127", bits127), c)
	VDIVPS(peak, c, inv)
	VDIVPS(c, peak, scale)
	VPAND(constant("cleared", 0xfffffffc), scale, scale)
	VPAND(live, scale, scale)
	VPANDN(live, huge, live)
	VPAND(live, inv, inv)
	VPAND(constant("nan", bitsNaN), huge, c)
	VPANDN(scale, huge, scale)
	VPOR(c, scale, scale)
	VMOVUPS(inv, at(dst, spare))
	VMOVUPS(scale, at(dst, to))
	VMULPS(constant("minusMagic", bitsMinusMagic), scale, scale)
	VMOVUPS(scale, at(dst, back))
}

// quantizeBlocks writes 256 int8: x*inv to nearest even, or zeros where inv is zero, whatever x is.
func quantizeBlocks(w width, x, dst Register, invAt int, q quantConst) {
	t := w.regs(4)
	inv, live := w.reg(), w.reg()
	zero := zeroed(w)
	for i := range 256 / w.bytes() {
		for j := range t {
			o := w.bytes() * (4*i + j)
			if o%128 == 0 {
				VBROADCASTSS(at(dst, invAt+o/128*4), inv)
				if w == avx512 {
					VPCMPUD(Imm(4), zero, inv, K1)
				} else {
					VPCMPEQD(inv, zero, live) // all ones where inv is zero
				}
			}
			if w == avx512 {
				VMULPS_Z(at(x, o), inv, K1, t[j])
			} else {
				VPANDN(at(x, o), live, t[j])
				VMULPS(inv, t[j], t[j])
			}
			VCVTPS2DQ(t[j], t[j])
		}
		w.packBytes(t, q)
		w.mov(t[0], at(dst, w.bytes()*i))
	}
}
