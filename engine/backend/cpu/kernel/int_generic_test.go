package kernel

import (
	"math"
	"math/big"
	"testing"
)

// fmaExact is a*b+c rounded once, by arbitrary precision.
func fmaExact(a, b, c float32) float32 {
	wide := func(v float32) *big.Float { return new(big.Float).SetPrec(700).SetFloat64(float64(v)) }
	f, _ := new(big.Float).SetPrec(700).Add(new(big.Float).SetPrec(700).Mul(wide(a), wide(b)), wide(c)).Float32()
	return f
}

func TestFma32(t *testing.T) {
	r := newRandom(1)
	double := 0 // cases that rounding twice gets wrong
	for range 300000 {
		a := math.Float32frombits(r.Uint32()&0x87ffffff | uint32(100+r.IntN(40))<<23)
		b := math.Float32frombits(r.Uint32()&0x87ffffff | uint32(100+r.IntN(40))<<23)
		c := a * b * (1 + float32(r.NormFloat64()))
		if r.IntN(2) == 0 {
			c *= float32(math.Exp2(float64(r.IntN(60) - 30)))
		}
		if r.IntN(20) == 0 {
			a *= 0x1p-60
			b *= 0x1p-70 // results among the denormals
			c *= 0x1p-120
		}
		if r.IntN(10) == 0 { // close to halfway between two numbers, but not quite
			c = 1 + float32(r.IntN(1<<22))*0x1p-22 + 0x1p-23
			a, b = 0x1p-24*(1+0x1p-23), 1-0x1p-23
		}
		want := fmaExact(a, b, c)
		if got := fma32(a, b, c); got != want {
			t.Fatalf("fma32(%g, %g, %g) = %g, want %g", a, b, c, got, want)
		}
		if float32(float64(a)*float64(b)+float64(c)) != want {
			double++
		}
	}
	if double == 0 {
		t.Error("no case tells rounding once from rounding twice")
	}
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range [][4]float32{
		{inf, 1, 1, inf}, {inf, 0, 1, nan}, {inf, 1, -inf, nan}, {nan, 1, 1, nan}, {1, 1, nan, nan},
		{math.MaxFloat32, 2, 0, inf}, {math.MaxFloat32, 2, -math.MaxFloat32, math.MaxFloat32}, {0, 0, 0, 0},
	} {
		if got := fma32(c[0], c[1], c[2]); !same(got, c[3]) {
			t.Errorf("fma32(%g, %g, %g) = %g, want %g", c[0], c[1], c[2], got, c[3])
		}
	}
}
