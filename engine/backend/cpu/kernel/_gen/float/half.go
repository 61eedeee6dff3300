package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// halfPart emits the conversions between float32 and 16-bit numbers. AVX2 has no masked 16-bit moves: it takes the rest of a
// row one by one.
func halfPart() {
	for _, v := range tiers {
		v.load16("loadF16", func(r VecVirtual, src VecVirtual) { VCVTPH2PS(src, r) }, func(m Mem, r VecVirtual) { VCVTPH2PS(m, r) })
		v.load16("loadBF16", func(r VecVirtual, src VecVirtual) {
			VPMOVZXWD(src, r)
			VPSLLD(Imm(16), r, r)
		}, loadBF16)
		v.store16("storeF16", func(r VecVirtual, half func(VecVirtual) VecVirtual) VecVirtual {
			VCVTPS2PH(Imm(0), r, half(r))
			return half(r)
		})
		v.store16("storeBF16", v.toBF16)
	}
}

// load16 emits a conversion to float32.
func (v isa) load16(name string, convert func(r, src VecVirtual), load func(m Mem, r VecVirtual)) {
	text(name+v.name, "func(dst []float32, src []byte)", "Converts len(dst) 16-bit numbers, "+name[len("load"):]+".")
	dst, src, n := Load(Param("dst").Base(), GP64()), Load(Param("src").Base(), GP64()), Load(Param("dst").Len(), GP64())
	v.vectors(n, func(i Register) {
		r := v.reg()
		load(indexed(src, i, 2), r)
		VMOVUPS(r, indexed(dst, i, 4))
	}, func(i, n Register) {
		if v.wide() {
			k, r := bitMask(n), v.reg()
			VMOVDQU16_Z(indexed(src, i, 2), k, r.AsY())
			convert(r, r.AsY().(VecVirtual))
			VMOVUPS(r, k, indexed(dst, i, 4))
			return
		}
		eachOf(i, n, func() {
			w, r := GP32(), XMM()
			MOVWLZX(indexed(src, i, 2), w)
			VMOVD(w, r)
			convert(r, r)
			VMOVSS(r, indexed(dst, i, 4))
		})
	})
}

// store16 emits a conversion from float32; convert leaves the result in a half of r's width.
func (v isa) store16(name string, convert func(r VecVirtual, half func(VecVirtual) VecVirtual) VecVirtual) {
	text(name+v.name, "func(dst []byte, x []float32)", "Converts len(x) numbers to 16 bits, "+name[len("store"):]+", to nearest even.")
	dst, x, n := Load(Param("dst").Base(), GP64()), Load(Param("x").Base(), GP64()), Load(Param("x").Len(), GP64())
	v.vectors(n, func(i Register) {
		r := v.reg()
		VMOVUPS(indexed(x, i, 4), r)
		VMOVDQU(convert(r, v.half), indexed(dst, i, 2))
	}, func(i, n Register) {
		if v.wide() {
			k, r := bitMask(n), v.reg()
			VMOVUPS_Z(indexed(x, i, 4), k, r)
			VMOVDQU16(convert(r, v.half), k, indexed(dst, i, 2))
			return
		}
		eachOf(i, n, func() {
			r := YMM()
			VMOVSS(indexed(x, i, 4), r.AsX())
			VPEXTRW(Imm(0), convert(r, v.half), indexed(dst, i, 2))
		})
	})
}

// toBF16 rounds to the nearest of the upper 16 bits, to even between two; a NaN keeps its upper bits and becomes quiet.
func (v isa) toBF16(r VecVirtual, half func(VecVirtual) VecVirtual) VecVirtual {
	t, quiet := v.reg(), v.reg()
	VPSRLD(Imm(16), r, t)
	if v.wide() {
		k := K()
		VCMPPS(Imm(3), r, r, k)
		VPANDD(u32(1), t, t)
		VPADDD(u32(0x7fff), t, t)
		VPORD(u32(0x400000), r, quiet)
		VPADDD(t, r, r)
		VMOVDQA32(quiet, k, r)
		VPSRLD(Imm(16), r, r)
		VPMOVDW(r, half(r))
		return half(r)
	}
	nan := v.reg()
	VCMPPS(Imm(3), r, r, nan)
	VPAND(u32(1), t, t)
	VPADDD(u32(0x7fff), t, t)
	VPOR(u32(0x400000), r, quiet)
	VPADDD(t, r, r)
	VBLENDVPS(nan, quiet, r, r)
	VPSRLD(Imm(16), r, r)
	VPACKUSDW(r, r, r)
	VPERMQ(Imm(0x08), r, r)
	return half(r)
}

// vectors runs body while whole vectors of the n elements are left, then rest for the other n, if any.
func (v isa) vectors(n Register, body func(i Register), rest func(i, n Register)) {
	i := GP64()
	XORQ(i, i)
	Label("vectors")
	CMPQ(n, Imm(uint64(v.lanes)))
	JL(LabelRef("rest"))
	body(i)
	ADDQ(Imm(uint64(v.lanes)), i)
	SUBQ(Imm(uint64(v.lanes)), n)
	JMP(LabelRef("vectors"))
	Label("rest")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	rest(i, n)
	Label("done")
	end()
}

// eachOf runs body for n elements from i on, n above 0.
func eachOf(i, n Register, body func()) {
	Label("one")
	body()
	INCQ(i)
	DECQ(n)
	JNZ(LabelRef("one"))
}
