package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Layout of a prepared superblock of activations, with one scale, as int_act_super.go defines it: 256 int8, then what the record's kind
// needs of the sums of groups of 32 or 16 activations.
const (
	act32Centre = 256 // 8 int32: -offset * sum of 32
	act32Sum    = 288 // 8 int16: sum of 32
	act32Scale  = 304 // float32
	act32Max    = 308 // int32: largest sum of the positive ones of 32, or of the magnitudes of the negative ones
	act32Bytes  = 320

	act16Centre = 256 // 16 int32: -offset * sum of 16
	act16Sum    = 320 // 16 int16: sum of 16
	act16Scale  = 352 // float32
	act16Max    = 356 // int32: largest sum of 16 magnitudes
	act16Bytes  = 384

	bitsTiny = 0x07800000 // 2^-112: a superblock with no larger magnitude counts as zero
	bitsInf  = 0x7f800000
	bitsNaN  = 0x7fc00000
	bits127  = 0x42fe0000
)

// quantizer writes the kernel that prepares superblocks of activations.
func quantizer(w width, by16 bool) {
	size := act32Bytes
	if by16 {
		size = act16Bytes
	}
	w.begin(map[bool]string{false: "quantAct32", true: "quantAct16"}[by16], "func(x *float32, supers int, dst *byte, offset int)")
	x := Load(Param("x"), GP64())
	n := Load(Param("supers"), GP64())
	dst := Load(Param("dst"), GP64())
	negOff := w.broadcastGP(Load(Param("offset"), GP64()).(GPVirtual))
	VPSUBD(negOff, zeroed(w), negOff)
	q := quantConsts(w)
	Label("super")
	bits := maxBits(w, x, q.abs)
	inv, scale := scales(w, bits, q)
	quantize(w, x, dst, inv, q)
	sum, mag := groupSums(w, dst, false, q), groupSums(w, dst, true, q)
	if by16 {
		finish16(w, dst, sum, mag, negOff, scale)
	} else {
		finish32(w, dst, sum, mag, negOff, scale, q)
	}
	ADDQ(U32(1024), x)
	ADDQ(U32(uint32(size)), dst)
	DECQ(n)
	JNZ(LabelRef("super"))
	VZEROUPPER()
	RET()
}

func (w width) broadcastGP(r GPVirtual) VecVirtual {
	v := w.reg()
	VMOVD(r.As32(), v.AsX())
	VPBROADCASTD(v.AsX(), v)
	return v
}

func zeroed(w width) VecVirtual {
	v := w.reg()
	w.zero(v)
	return v
}

type quantConst struct{ abs, order, ones, ones16 VecVirtual }

func quantConsts(w width) quantConst {
	c := quantConst{abs: w.dwords(0x7fffffff), ones: w.dwords(0x01010101), ones16: w.dwords(0x00010001), order: w.reg()}
	// Packing 4 vectors of dwords to bytes leaves their dwords as a 4x4 (4x2) transpose; this puts them in order.
	if w == avx512 {
		VMOVDQU32(table("order512", u32s(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)), c.order)
	} else {
		VMOVDQU(table("order256", u32s(0, 4, 1, 5, 2, 6, 3, 7)), c.order)
	}
	return c
}

// maxBits is the largest magnitude of 256 floats, as an integer: the order is that of floats, with infinities and NaNs on top.
func maxBits(w width, x Register, abs VecVirtual) GPVirtual {
	m, t := w.regs(2), w.regs(2)
	for i := range 1024 / w.bytes() {
		j := i % 2
		if i < 2 {
			w.and(at(x, w.bytes()*i), abs, m[j])
			continue
		}
		w.and(at(x, w.bytes()*i), abs, t[j])
		VPMAXUD(t[j], m[j], m[j])
	}
	VPMAXUD(m[1], m[0], m[0])
	return maxDword(w, m[0], t[0])
}

// maxDword is the largest dword of v, which may be half a vector, unsigned; v and t are clobbered.
func maxDword(w width, v, t VecVirtual) GPVirtual {
	if v.Size() == 64 {
		VEXTRACTI64X4(Imm(1), v, t.AsY())
		VPMAXUD(t.AsY(), v.AsY(), v.AsY())
	}
	if w == avx512 {
		VEXTRACTI32X4(Imm(1), v.AsY(), t.AsX())
	} else {
		VEXTRACTI128(Imm(1), v, t.AsX())
	}
	VPMAXUD(t.AsX(), v.AsX(), v.AsX())
	VPSHUFD(Imm(0x4e), v.AsX(), t.AsX())
	VPMAXUD(t.AsX(), v.AsX(), v.AsX())
	VPSHUFD(Imm(0xb1), v.AsX(), t.AsX())
	VPMAXUD(t.AsX(), v.AsX(), v.AsX())
	r := GP32()
	VMOVD(v.AsX(), r)
	return r
}

// scales returns 127/max in every element and max/127, or zeros for what counts as zero, or zeros and NaN.
// A zero in the first makes quantize write zeros.
func scales(w width, bits GPVirtual, q quantConst) (inv VecVirtual, scale GPVirtual) {
	inv, scale = w.reg(), GP32()
	w.zero(inv)
	XORL(scale, scale)
	CMPL(bits, U32(bitsTiny))
	JB(LabelRef("scaled"))
	MOVL(U32(bitsNaN), scale)
	CMPL(bits, U32(bitsInf))
	JAE(LabelRef("scaled"))
	c, m, d := GP32(), XMM(), XMM()
	MOVL(U32(bits127), c)
	VMOVD(c, d)
	VMOVD(bits, m)
	VDIVSS(m, d, inv.AsX())
	VDIVSS(d, m, m)
	VMOVD(m, scale)
	VBROADCASTSS(inv.AsX(), inv)
	Label("scaled")
	return inv, scale
}

// quantize writes 256 int8: x*inv to nearest even, or zeros where inv is zero, whatever x is.
func quantize(w width, x, dst Register, inv VecVirtual, q quantConst) {
	t := w.regs(4)
	live := w.reg()
	w.zero(live)
	if w == avx512 {
		VPCMPUD(Imm(4), live, inv, K1)
	} else {
		VPCMPEQD(inv, live, live) // all ones where inv is zero
	}
	for i := range 256 / w.bytes() {
		for j := range t {
			from := at(x, w.bytes()*(4*i+j))
			if w == avx512 {
				VMULPS_Z(from, inv, K1, t[j])
			} else {
				VPANDN(from, live, t[j])
				VMULPS(inv, t[j], t[j])
			}
			VCVTPS2DQ(t[j], t[j])
		}
		w.packBytes(t, q)
		w.mov(t[0], at(dst, w.bytes()*i))
	}
}

// packBytes packs 4 vectors of dwords to bytes in t[0].
func (w width) packBytes(t []VecVirtual, q quantConst) {
	VPACKSSDW(t[1], t[0], t[0])
	VPACKSSDW(t[3], t[2], t[2])
	VPACKSSWB(t[2], t[0], t[0])
	VPERMD(t[0], q.order, t[0])
}

// groupSums adds up 16 groups of 16 int8, or of their magnitudes: as int32 in one or two vectors, in order.
func groupSums(w width, act Register, magnitudes bool, q quantConst) (sum []VecVirtual) {
	for h := range 4 / int(w) {
		v, tmp := w.regs(4), w.reg()
		for i := range v {
			from := at(act, w.bytes()*(4*h+i))
			if magnitudes {
				VPABSB(from, v[i])
			} else {
				w.mov(from, v[i])
			}
			unsigned, signed := q.ones, v[i]
			if magnitudes {
				unsigned, signed = v[i], q.ones
			}
			if w == avx512 {
				w.zero(tmp)
				VPDPBUSD(signed, unsigned, tmp)
				w.mov(tmp, v[i])
			} else {
				VPMADDUBSW(signed, unsigned, v[i])
				VPMADDWD(q.ones16, v[i], v[i])
			}
		}
		laneSums(w, v, tmp)
		VPERMD(v[0], q.order, v[0])
		sum = append(sum, v[0])
	}
	return sum
}

// words packs 16 int32 to 16 int16 in order, in 256 bits.
func words(w width, v []VecVirtual) VecVirtual {
	t := YMM()
	if w == avx512 {
		VPMOVDW(v[0], t)
		return t
	}
	VPACKSSDW(v[1], v[0], t)
	VPERMQ(Imm(0xd8), t, t)
	return t
}

func finish16(w width, dst Register, sum, mag []VecVirtual, negOff VecVirtual, scale GPVirtual) {
	w.mov(words(w, sum), at(dst, act16Sum))
	for i, s := range sum {
		VPMULLD(negOff, s, s)
		w.mov(s, at(dst, act16Centre+w.bytes()*i))
	}
	if len(mag) > 1 {
		VPMAXUD(mag[1], mag[0], mag[0])
	}
	t := w.reg()
	w.mov(scaleAndMax(scale, maxDword(w, mag[0], t)).AsY(), at(dst, act16Scale))
}

func finish32(w width, dst Register, sum, mag []VecVirtual, negOff VecVirtual, scale GPVirtual, q quantConst) {
	s, m, t := words(w, sum), words(w, mag), YMM()
	VPMADDWD(q.ones16.AsY(), s, s)
	VPMADDWD(q.ones16.AsY(), m, m)
	VPABSD(s, t)
	VPADDD(t, m, m)
	VPSRLD(Imm(1), m, m)
	VPMULLD(negOff.AsY(), s, t)
	w.mov(t, at(dst, act32Centre))
	VPACKSSDW(s, s, s)
	VPERMQ(Imm(0xd8), s, s)
	w.mov(s.AsX(), at(dst, act32Sum))
	w.mov(scaleAndMax(scale, maxDword(w, m, t)), at(dst, act32Scale))
}

// scaleAndMax puts the two values at the start of a vector, zeros behind them.
func scaleAndMax(scale, max GPVirtual) VecVirtual {
	x, y := XMM(), XMM()
	VMOVD(scale, x)
	VMOVD(max, y)
	VPUNPCKLDQ(y, x, x)
	return x
}
