package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func reducePart() {
	for _, v := range tiers {
		v.sum("sum", "func(x []float32) float64", "Returns the sum of x, in float64.", func(x VecVirtual, low, high VecVirtual) {
			v.addDoubles(x, low, high)
		})
		v.sum("sumSquares", "func(x []float32) float64", "Returns the sum of x[i]^2, in float64.", func(x VecVirtual, low, high VecVirtual) {
			v.addSquares(x, low, high)
		})
		v.sumSquaresAbout()
		v.maxOf()
		v.expSum()
	}
}

// doubles splits the floats of x into two registers of float64; the low half goes into x itself.
func (v isa) doubles(x VecVirtual) (low, high VecVirtual) {
	high = v.reg()
	if v.wide() {
		h := YMM()
		VEXTRACTF64X4(Imm(1), x, h)
		VCVTPS2PD(h, high)
	} else {
		h := XMM()
		VEXTRACTF128(Imm(1), x, h)
		VCVTPS2PD(h, high)
	}
	VCVTPS2PD(v.half(x), x)
	return x, high
}

func (v isa) addDoubles(x, low, high VecVirtual) {
	l, h := v.doubles(x)
	VADDPD(l, low, low)
	VADDPD(h, high, high)
}

func (v isa) addSquares(x, low, high VecVirtual) {
	l, h := v.doubles(x)
	VFMADD231PD(l, l, low)
	VFMADD231PD(h, h, high)
}

// sum emits a function that adds up what step makes of each vector of x.
func (v isa) sum(name, signature, doc string, step func(x, low, high VecVirtual)) {
	text(name+v.name, signature, doc)
	x := Load(Param("x").Base(), GP64())
	low, high := v.reg(), v.reg()
	zero(low)
	zero(high)
	v.loop(Load(Param("x").Len(), GP64()), func(i Register, k *mask) {
		r := v.reg()
		v.loadAt(x, i, k, r)
		step(r, low, high)
	})
	v.returnSum(low, high)
}

func (v isa) sumSquaresAbout() {
	text("sumSquaresAbout"+v.name, "func(x []float32, mean float32) float64", "Returns the sum of (x[i] - mean)^2, in float64.")
	x, mean := Load(Param("x").Base(), GP64()), v.broadcast("mean")
	low, high := v.reg(), v.reg()
	zero(low)
	zero(high)
	v.loop(Load(Param("x").Len(), GP64()), func(i Register, k *mask) {
		r := v.reg()
		v.loadAt(x, i, k, r)
		VSUBPS(mean, r, r)
		if k != nil {
			k.keep(r)
		}
		v.addSquares(r, low, high)
	})
	v.returnSum(low, high)
}

// returnSum adds up two registers of float64 and returns from the function.
func (v isa) returnSum(low, high VecVirtual) {
	VADDPD(high, low, low)
	y := low
	if v.wide() {
		y = YMM()
		VEXTRACTF64X4(Imm(1), low, y)
		VADDPD(low.AsY(), y, y)
	}
	x, t := XMM(), XMM()
	VEXTRACTF128(Imm(1), y, x)
	VADDPD(y.AsX(), x, x)
	VPERMILPD(Imm(1), x, t)
	VADDSD(t, x, x)
	Store(x, ReturnIndex(0))
	end()
}

func (v isa) maxOf() {
	text("maxOf"+v.name, "func(x []float32) float32", "Returns the largest element that is not NaN, or minus infinity.")
	x, top := Load(Param("x").Base(), GP64()), v.reg()
	VMOVUPS(u32(0xff800000), top)
	v.loop(Load(Param("x").Len(), GP64()), func(i Register, k *mask) {
		r := v.reg()
		v.loadAt(x, i, k, r)
		switch {
		case k == nil: // of two operands VMAXPS returns the one written first when either is NaN
			VMAXPS(top, r, top)
		case v.wide():
			VMAXPS(top, r, k.k, top)
		default:
			VBLENDVPS(k.y, r, top, r)
			VMAXPS(top, r, top)
		}
	})
	v.returnMax(top)
}

// returnMax returns the largest lane.
func (v isa) returnMax(top VecVirtual) {
	y := top
	if v.wide() {
		y = YMM()
		VEXTRACTF64X4(Imm(1), top, y)
		VMAXPS(top.AsY(), y, y)
	}
	r, t := XMM(), XMM()
	VEXTRACTF128(Imm(1), y, r)
	VMAXPS(y.AsX(), r, r)
	for _, order := range []uint64{0x4e, 0xb1} {
		VPERMILPS(Imm(order), r, t)
		VMAXPS(t, r, r)
	}
	Store(r, ReturnIndex(0))
	end()
}

func (v isa) expSum() {
	text("expSum"+v.name, "func(x []float32, top float32) float64", "For every i: x[i] = exp(x[i] - top). Returns the sum, in float64.")
	x, top := Load(Param("x").Base(), GP64()), v.broadcast("top")
	low, high := v.reg(), v.reg()
	zero(low)
	zero(high)
	v.loop(Load(Param("x").Len(), GP64()), func(i Register, k *mask) {
		r := v.reg()
		v.loadAt(x, i, k, r)
		VSUBPS(top, r, r)
		r = v.exp(r)
		if k != nil {
			k.keep(r)
		}
		v.storeAt(r, x, i, k)
		v.addDoubles(r, low, high)
	})
	v.returnSum(low, high)
}
