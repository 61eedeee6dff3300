package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// exp(x) = 2^n * exp(r) with n = round(x log2 e) and r = x - n ln 2, |r| <= 0.35; ln 2 is split in two, so that n times the
// first part is exact. exp(r) = 1 + r + r^2 q(r), where q of degree 4 interpolates (exp(r)-1-r)/r^2 at the Chebyshev nodes:
// its error, 8e-9 of exp(r), vanishes beside the rounding of float32.
const (
	ln2High = 0.693145751953125 // 16 bits
	ln2Low  = math.Ln2 - ln2High
	expMin  = -105 // exp of it rounds to 0
	expMax  = 89   // exp of it overflows to infinity

	geluLinear = 0.7978845608028654 // sqrt(2/pi)
	geluCubic  = 0.044715
	geluQuick  = 1.702
)

// expPoly has the coefficients of q, constant first.
var expPoly = interpolate(5, math.Ln2/2, func(r float64) float64 {
	if math.Abs(r) < 1e-3 {
		return 0.5 + r/6 + r*r/24 // the next term is below 1e-11
	}
	return (math.Expm1(r) - r) / (r * r)
})

// interpolate returns the polynomial through f at the n Chebyshev nodes of [-half, half], by Newton's divided differences.
func interpolate(n int, half float64, f func(float64) float64) []float64 {
	x, d := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = half * math.Cos(math.Pi*(float64(i)+0.5)/float64(n))
		d[i] = f(x[i])
	}
	for s := 1; s < n; s++ {
		for i := n - 1; i >= s; i-- {
			d[i] = (d[i] - d[i-1]) / (x[i] - x[i-s])
		}
	}
	p := make([]float64, n) // Horner: p = p*(r - x[i]) + d[i]
	for i := n - 1; i >= 0; i-- {
		for c := n - 1; c > 0; c-- {
			p[c] = p[c-1] - x[i]*p[c]
		}
		p[0] = d[i] - x[i]*p[0]
	}
	return p
}

// reduced is exp(x) as 2^n (1 + e).
type reduced struct{ n, e VecVirtual }

// reduce splits x, which is between expMin and expMax or NaN. It uses x up.
func (v isa) reduce(x VecVirtual) reduced {
	n, p := v.reg(), v.reg()
	VMULPS(f32(math.Log2E), x, n)
	if v.wide() {
		VRNDSCALEPS(Imm(roundEven), n, n)
	} else {
		VROUNDPS(Imm(roundEven), n, n)
	}
	VFNMADD231PS(f32(ln2High), n, x)
	VFNMADD231PS(f32(ln2Low), n, x)
	VMOVUPS(f32(expPoly[4]), p)
	for c := 3; c >= 0; c-- {
		VFMADD213PS(f32(expPoly[c]), x, p)
	}
	VMULPS(x, p, p)
	VFMADD213PS(x, x, p) // (p r) r + r
	return reduced{n, p}
}

// exp returns exp(x), within 1 ulp; NaN stays, overflow is infinite, underflow gradual. It uses x up.
func (v isa) exp(x VecVirtual) VecVirtual {
	t := v.reg()
	VMOVUPS(f32(expMin), t) // of two operands VMAXPS and VMINPS return the one written first when either is NaN
	VMAXPS(x, t, x)
	VMOVUPS(f32(expMax), t)
	VMINPS(x, t, x)
	r := v.reduce(x)
	VADDPS(f32(1), r.e, r.e)
	if v.wide() {
		VSCALEFPS(r.n, r.e, r.e)
		return r.e
	}
	// 2^n in two factors, as n reaches beyond the exponents of float32
	n := v.reg()
	VCVTPS2DQ(r.n, r.n)
	VPSRAD(Imm(1), r.n, n)
	VPSUBD(n, r.n, r.n)
	for _, n := range []VecVirtual{n, r.n} {
		VMULPS(power2(n), r.e, r.e)
	}
	return r.e
}

// exp2Poly has the coefficients of q, constant first: 2^r = 1 + r q(r) for |r| <= 1/2, within 1e-7.
var exp2Poly = interpolate(5, 0.5, func(r float64) float64 {
	if r == 0 {
		return math.Ln2
	}
	return math.Expm1(r*math.Ln2) / r
})

// expOfNegative returns exp(x) for x that is not above 0, to some 2^-23 (1+|x|) of it: with x log2 e rounded, in fewer steps. It uses x
// up. NaN stays. AVX-512 has what it takes.
func expOfNegative(x VecVirtual) VecVirtual {
	n, p := ZMM(), ZMM()
	VMULPS(f32(math.Log2E), x, x)
	VMOVUPS(f32(-160), p) // 2 to it rounds to 0
	VMAXPS(x, p, x)
	VRNDSCALEPS(Imm(roundEven), x, n)
	VSUBPS(n, x, x)
	VMOVUPS(f32(exp2Poly[4]), p)
	for c := 3; c >= 0; c-- {
		VFMADD213PS(f32(exp2Poly[c]), x, p)
	}
	VFMADD213PS(f32(1), x, p)
	VSCALEFPS(n, p, p)
	return p
}

// power2 turns integers into powers of 2, in place.
func power2(n VecVirtual) VecVirtual {
	VPADDD(u32(127), n, n)
	VPSLLD(Imm(23), n, n)
	return n
}

// gated returns x / (1 + exp(-y)), in a register of its own.
func (v isa) gated(x, y VecVirtual) VecVirtual {
	e := v.reg()
	VXORPS(u32(1<<31), y, e)
	e = v.exp(e)
	VADDPS(f32(1), e, e)
	VDIVPS(e, x, e)
	return e
}

// gelu returns x / (1 + exp(-2z)) with z = sqrt(2/pi) (x + 0.044715 x^3), which is x/2 (1 + tanh(z)).
func (v isa) gelu(x VecVirtual) VecVirtual {
	y, t := v.reg(), v.reg()
	VMULPS(x, x, t)
	VMOVUPS(f32(2*geluLinear), y)
	VFMADD231PS(f32(2*geluLinear*geluCubic), t, y)
	VMULPS(x, y, y)
	return v.gated(x, y)
}

// tanh returns (exp(2|x|) - 1) / (exp(2|x|) + 1) with the sign of x; the numerator is formed without cancellation,
// as 2^n e + (2^n - 1). It uses x up.
func (v isa) tanh(x VecVirtual) VecVirtual {
	sign, t, s := v.reg(), v.reg(), v.reg()
	VANDPS(u32(1<<31), x, sign)
	VANDNPS(x, sign, x) // the operand written second is complemented
	VADDPS(x, x, x)
	VMOVUPS(f32(20), t) // tanh(10) rounds to 1
	VMINPS(x, t, x)
	r := v.reduce(x)
	VCVTPS2DQ(r.n, r.n)
	power2(r.n)
	VSUBPS(f32(1), r.n, s)
	VFMADD231PS(r.e, r.n, s)
	VADDPS(f32(2), s, t)
	VDIVPS(t, s, s)
	VORPS(sign, s, s)
	return s
}

// softplus returns log(1 + exp(x)) = max(x, 0) + log(1 + z) with z = exp(-|x|), and the latter as 2 atanh(s) with s = z/(2+z), at most
// 1/3: s (1 + q/3 + q^2/5 + ...) with q = s^2, of which the terms after the last are below 2e-8.
func (v isa) softplus(x VecVirtual) VecVirtual {
	z, s, q, p := v.reg(), v.reg(), v.reg(), v.reg()
	VORPS(u32(1<<31), x, z)
	z = v.exp(z)
	VADDPS(f32(2), z, s)
	VDIVPS(s, z, s)
	VMULPS(s, s, q)
	VMOVUPS(f32(1./13), p)
	for n := 11.0; n > 0; n -= 2 {
		VFMADD213PS(f32(1/n), q, p)
	}
	VADDPS(s, s, s)
	zero(q)
	VMAXPS(x, q, q)
	VFMADD213PS(q, s, p) // 2 s p + max(x, 0)
	return p
}
