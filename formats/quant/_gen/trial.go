package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Where the fields of trials lie.
const (
	first, step, unit, shift, sw, sx = 0, 4, 8, 12, 16, 20
	invs, qs, qqs, qxs, gains        = 32, 96, 160, 224, 288
)

func trialPart() {
	for _, v := range []isa{avx2, avx512} {
		v.trials()
	}
	extent()
}

// trials emits the search: all lanes in one register with AVX-512, two passes with AVX2.
func (v isa) trials() {
	text("trials"+v.name, "func(t, x, w *float32, n int, lo, hi float32)",
		"An element and its weight are broadcast; each lane is a trial.")
	t := Load(Param("t"), GP64())
	lo, hi := v.broadcast("lo"), v.broadcast("hi")
	for pass := range 16 / v.lanes {
		from := pass * v.lanes
		inv, off := v.guess(t, from)
		v.gain(t, from, v.sums(pass, inv, off, lo, hi))
	}
	end()
}

// guess makes inv = (first + k step) / unit, stores it, and off = shift inv.
func (v isa) guess(t Register, from int) (inv, off VecVirtual) {
	inv, off = v.reg(), v.reg()
	VMULPS(v.ramp(from), v.repeat(at(t, step)), inv)
	VADDPS(v.repeat(at(t, first)), inv, inv)
	VDIVPS(v.repeat(at(t, unit)), inv, inv)
	VMOVUPS(inv, at(t, invs+4*from))
	VMULPS(v.repeat(at(t, shift)), inv, off)
	return inv, off
}

// ramp is the numbers of the lanes from the given one.
func (v isa) ramp(from int) Mem {
	return table("ramp16", func() {
		for i := range 16 {
			DATA(4*i, F32(i))
		}
	}).Offset(4 * from)
}

// lineLeast is the constant of trials.line in every lane.
func lineLeast() Mem {
	return table("lineLeast", func() {
		for i := range 8 {
			DATA(8*i, U64(math.Float64bits(1e-5)))
		}
	})
}

type sums struct{ q, qq, qx VecVirtual }

// sums passes the elements through.
func (v isa) sums(pass int, inv, off, lo, hi VecVirtual) sums {
	x, w, n := Load(Param("x"), GP64()), Load(Param("w"), GP64()), Load(Param("n"), GP64())
	s := sums{v.reg(), v.reg(), v.reg()}
	zero(s.q)
	zero(s.qq)
	zero(s.qx)
	label := []string{"elements", "elementsAgain"}[pass]
	Label(label)
	xi, wi, r, t := v.repeat(at(x, 0)), v.repeat(at(w, 0)), v.reg(), v.reg()
	VMULPS(xi, inv, r)
	VADDPS(off, r, r)
	VMAXPS(lo, r, r)
	VMINPS(hi, r, r)
	v.round(r)
	VMULPS(wi, r, t)
	VADDPS(t, s.q, s.q)
	VMULPS(t, r, r)
	VADDPS(r, s.qq, s.qq)
	VMULPS(xi, t, t)
	VADDPS(t, s.qx, s.qx)
	ADDQ(U8(4), x)
	ADDQ(U8(4), w)
	DECQ(n)
	JNZ(LabelRef(label))
	return s
}

// gain stores the sums and, in float64, how much of the sum of w x² each trial explains.
func (v isa) gain(t Register, from int, s sums) {
	VMOVUPS(s.q, at(t, qs+4*from))
	VMOVUPS(s.qq, at(t, qqs+4*from))
	VMOVUPS(s.qx, at(t, qxs+4*from))
	sumW, sumX := v.repeatDouble(at(t, sw)), v.repeatDouble(at(t, sx))
	for half := range 2 {
		q, qq, qx := v.doubles(s.q, half), v.doubles(s.qq, half), v.doubles(s.qx, half)
		VMOVUPD(v.explained(sumW, sumX, q, qq, qx), at(t, gains+8*from+4*v.lanes*half))
	}
}

// explained is the arithmetic of trials.gainOf.
func (v isa) explained(sumW, sumX, q, qq, qx VecVirtual) VecVirtual {
	product := func(a, b VecVirtual) VecVirtual {
		r := v.reg()
		VMULPD(a, b, r)
		return r
	}
	minus := func(a, b VecVirtual) VecVirtual {
		VSUBPD(b, a, a)
		return a
	}
	all := product(sumW, qq)
	det := minus(product(sumW, qq), product(q, q))
	base := minus(product(qq, sumX), product(q, qx))
	line := product(qx, minus(product(sumW, qx), product(sumX, q)))
	VADDPD(product(sumX, base), line, line)

	least, none := v.reg(), v.reg()
	VMULPD(lineLeast(), all, least)
	zero(none)
	num, den := product(qx, qx), qq
	v.where(least, det, base, none, func(take func(from, to VecVirtual)) {
		take(line, num)
		take(det, den)
	})
	VDIVPD(den, num, num)
	return num
}

// where hands its body a function that moves the lanes with a < b and c < d.
func (v isa) where(a, b, c, d VecVirtual, body func(take func(from, to VecVirtual))) {
	if v.wide() {
		k := K()
		VCMPPD(U8(lessThan), b, a, k)
		VCMPPD(U8(lessThan), d, c, k, k)
		body(func(from, to VecVirtual) { VMOVAPD(from, k, to) })
		return
	}
	m, n := v.reg(), v.reg()
	VCMPPD(U8(lessThan), b, a, m)
	VCMPPD(U8(lessThan), d, c, n)
	VANDPD(m, n, m)
	body(func(from, to VecVirtual) { VBLENDVPD(m, from, to, to) })
}

// doubles converts the lower (0) or upper half of r to float64.
func (v isa) doubles(r VecVirtual, half int) VecVirtual {
	d := v.reg()
	switch {
	case half == 0 && v.wide():
		VCVTPS2PD(r.AsY(), d)
	case half == 0:
		VCVTPS2PD(r.AsX(), d)
	case v.wide():
		h := YMM()
		VEXTRACTF64X4(U8(1), r, h)
		VCVTPS2PD(h, d)
	default:
		h := XMM()
		VEXTRACTF128(U8(1), r, h)
		VCVTPS2PD(h, d)
	}
	return d
}

// repeatDouble loads a float32 from memory into every lane of float64.
func (v isa) repeatDouble(m Mem) VecVirtual {
	d := v.reg()
	if v.wide() {
		VCVTPS2PD(avx2.repeat(m), d)
		return d
	}
	x := XMM()
	VBROADCASTSS(m, x)
	VCVTPS2PD(x, d)
	return d
}

// extent emits range and sums of a block. Eight elements at a time, in both tiers.
func extent() {
	text("extentAVX2", "func(e, x, w *float32, n int)", "n is a multiple of eight and not zero.")
	e, x, w, n := Load(Param("e"), GP64()), Load(Param("x"), GP64()), Load(Param("w"), GP64()), Load(Param("n"), GP64())
	lo, hi, sw, sx := YMM(), YMM(), YMM(), YMM()
	VMOVUPS(at(x, 0), lo)
	VMOVAPS(lo, hi)
	zero(sw)
	zero(sx)
	Label("eights")
	xs, ws := YMM(), YMM()
	VMOVUPS(at(x, 0), xs)
	VMOVUPS(at(w, 0), ws)
	VMINPS(xs, lo, lo)
	VMAXPS(xs, hi, hi)
	VADDPS(ws, sw, sw)
	VMULPS(xs, ws, ws)
	VADDPS(ws, sx, sx)
	ADDQ(U8(32), x)
	ADDQ(U8(32), w)
	SUBQ(U8(8), n)
	JNZ(LabelRef("eights"))
	for i, r := range []VecVirtual{lo, hi, sw, sx} {
		fold := []func(...Op){0: VMINPS, 1: VMAXPS, 2: VADDPS, 3: VADDPS}[i]
		h := XMM()
		VEXTRACTF128(U8(1), r, h)
		y := r.AsX()
		fold(h, y, y)
		VPERMILPS(U8(0x4e), y, h)
		fold(h, y, y)
		VPERMILPS(U8(0xb1), y, h)
		fold(h, y, y)
		VMOVSS(y, at(e, 4*i))
	}
	end()
}
