package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// roundPart emits the rounding of elements to codes of a byte, 16 at a time.
func roundPart() {
	const signature = "func(q *byte, x *float32, n int, shift, inv, lo, hi float32, zero int32)"
	for _, v := range []isa{avx2, avx512} {
		text("roundCodes"+v.name, signature, "n is a multiple of 16 and not zero.")
		q, x, n := Load(Param("q"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
		shift, inv, lo, hi := v.broadcast("shift"), v.broadcast("inv"), v.broadcast("lo"), v.broadcast("hi")
		zero, z := v.reg(), XMM()
		VMOVD(Load(Param("zero"), GP32()), z)
		VPBROADCASTD(z, zero)
		code := func(disp int) VecVirtual {
			r := v.reg()
			VADDPS(at(x, disp), shift, r)
			VMULPS(inv, r, r)
			VMAXPS(lo, r, r)
			VMINPS(hi, r, r)
			VCVTPS2DQ(r, r)
			VPADDD(zero, r, r)
			return r
		}
		Label("sixteens")
		if v.wide() {
			VPMOVDB(code(0), at(q, 0))
		} else {
			packBytes(code(0), code(32), q)
		}
		ADDQ(U8(16), q)
		ADDQ(U8(64), x)
		SUBQ(U8(16), n)
		JNZ(LabelRef("sixteens"))
		end()
	}
}

// packBytes stores 16 numbers below 256, eight from each register.
func packBytes(a, b VecVirtual, q Register) {
	VPACKUSDW(b, a, a) // a0-3 b0-3 a4-7 b4-7
	VPERMQ(U8(0xd8), a, a)
	h := XMM()
	VEXTRACTI128(U8(1), a, h)
	VPACKUSWB(h, a.AsX(), h)
	VMOVDQU(h, at(q, 0))
}
