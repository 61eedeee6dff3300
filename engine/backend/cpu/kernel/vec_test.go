package kernel

import (
	"fmt"
	"math"
	"testing"
)

// rowOp is an operation on rows whose elements are independent, with its definition in float64.
type rowOp struct {
	name string
	run  func(dst, a, b []float32)
	want func(a, b float64) float64
	// ulps bounds the error in units of the result's last place. Functions of a scaled argument have steep times more
	// for every unit of the argument, as its rounding passes through the exponential function.
	ulps, steep float64
}

const (
	testScale = float32(0.37)
	testMean  = float32(-0.8125)
	testCap   = float32(30)
	testLimit = 1.25
)

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func geluExact(x float64) float64 {
	return x * logistic(2*math.Sqrt(2/math.Pi)*x*(1+0.044715*x*x))
}

var rowOps = []rowOp{
	{"Add", Add, func(a, b float64) float64 { return a + b }, 0.5, 0},
	{"Mul", Mul, func(a, b float64) float64 { return a * b }, 0.5, 0},
	{"Scale", func(dst, a, _ []float32) { Scale(dst, a, testScale) }, func(a, _ float64) float64 { return a * float64(testScale) }, 0.5, 0},
	{"center", func(dst, a, _ []float32) { current.center(dst, a, testMean, testScale) },
		func(a, _ float64) float64 { return float64(float32(a-float64(testMean))) * float64(testScale) }, 0.5, 0},
	{"mulScaled", func(dst, a, b []float32) { current.mulScaled(dst, a, b, testScale) },
		func(a, b float64) float64 { return float64(float32(a*float64(testScale))) * b }, 0.5, 0},
	{"Clamp", func(dst, a, _ []float32) { Clamp(dst, a, testCap) },
		func(a, _ float64) float64 { return min(max(a, -float64(testCap)), float64(testCap)) }, 0.5, 0},
	{"ReLUSqr", func(dst, a, _ []float32) { ReLUSqr(dst, a) }, func(a, _ float64) float64 {
		if a < 0 {
			a = 0
		}
		return a * a
	}, 0.5, 0},
	{"Sigmoid", func(dst, a, _ []float32) { Sigmoid(dst, a) }, func(a, _ float64) float64 { return logistic(a) }, 2.5, 0},
	{"SiLU", func(dst, a, _ []float32) { SiLU(dst, a) }, func(a, _ float64) float64 { return a * logistic(a) }, 2.5, 0},
	{"SiLUMul", SiLUMul, func(a, b float64) float64 { return a * logistic(a) * b }, 4, 0},
	{"GELU", func(dst, a, _ []float32) { GELU(dst, a) }, func(a, _ float64) float64 { return geluExact(a) }, 2.5, 16},
	{"GELUMul", GELUMul, func(a, b float64) float64 { return geluExact(a) * b }, 4, 16},
	{"GELUQuickMul", GELUQuickMul, func(a, b float64) float64 { return a * logistic(1.702*a) * b }, 4, 4},
	{"ReLUMul", ReLUMul, func(a, b float64) float64 { return max(a, 0) * b }, 0.5, 0},
	{"SiLUMulLimited", func(dst, a, b []float32) { SiLUMulLimited(dst, a, b, testLimit) }, func(a, b float64) float64 {
		g := min(a, testLimit)
		return g * logistic(g) * max(min(b, testLimit), -testLimit)
	}, 4, 0},
	{"SwiGLUOAI", func(dst, a, b []float32) { SwiGLUOAI(dst, a, b, testLimit) }, func(a, b float64) float64 {
		g := min(a, testLimit)
		return g * logistic(1.702*g) * float64(float32(max(min(b, testLimit), -testLimit)+1))
	}, 4, 4},
	{"Softplus", func(dst, a, _ []float32) { Softplus(dst, a) },
		func(a, _ float64) float64 { return math.Max(a, 0) + math.Log1p(math.Exp(-math.Abs(a))) }, 3.5, 0},
	{"Tanh", func(dst, a, _ []float32) { Tanh(dst, a) }, func(a, _ float64) float64 { return math.Tanh(a) }, 2.5, 0},
	{"SoftCap", func(dst, a, _ []float32) { SoftCap(dst, a, testCap) },
		func(a, _ float64) float64 { return float64(testCap) * math.Tanh(a/float64(testCap)) }, 4.5, 0},
}

// ulp returns the distance of float32 numbers at |x|.
func ulp(x float64) float64 {
	f := float32(math.Min(math.Abs(x), math.MaxFloat32))
	if f == math.MaxFloat32 {
		return float64(f - math.Nextafter32(f, 0))
	}
	return float64(math.Nextafter32(f, math.MaxFloat32) - f)
}

// lost is what an exponential function that overflows may hide: 1/(1+exp(x)) is 0 from about x = 89 on.
const lost = 2e-36

// near reports whether got is the float32 of want within the operation's bound at argument a.
func (op rowOp) near(got float32, want, a float64) bool {
	switch {
	case math.IsNaN(want):
		return got != got
	case math.Abs(want) > math.MaxFloat32:
		return math.IsInf(float64(got), int(math.Copysign(1, want)))
	}
	bound := (op.ulps + op.steep*math.Min(math.Abs(a), 64)) * ulp(want)
	if op.ulps > 0.5 {
		bound += lost
	}
	return math.Abs(float64(got)-want) <= bound
}

// TestRowOpsLengths covers every tail of every vector width, guards on both sides, and results written over an operand.
func TestRowOpsLengths(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for _, op := range rowOps {
			r := newRandom(5)
			for n := 0; n <= 130; n++ {
				a, b := guardFloats(r.normal(n)), guardFloats(r.normal(n))
				dst := guardFloats(r.normal(n))
				op.run(dst.data, a.data, b.data)
				dst.check(t)
				op.verify(t, dst.data, a.data, b.data)
				op.run(a.data, a.data, b.data)
				a.check(t)
				for i := range dst.data {
					if !same(a.data[i], dst.data[i]) {
						t.Fatalf("%s n=%d in place: [%d] = %g, want %g", op.name, n, i, a.data[i], dst.data[i])
					}
				}
			}
		}
	})
}

func (op rowOp) verify(t *testing.T, dst, a, b []float32) {
	t.Helper()
	for i, got := range dst {
		x, y := float64(a[i]), float64(b[i])
		if want := op.want(x, y); !op.near(got, want, x) {
			t.Fatalf("%s(%g, %g) [%d of %d] = %g, want %g (%.2f ulp)", op.name, x, y, i, len(dst), got, want,
				math.Abs(float64(got)-want)/ulp(want))
		}
	}
}

// sweep returns numbers of every magnitude and sign, dense where functions bend, and the special ones.
func sweep() []float32 {
	inf := float32(math.Inf(1))
	x := []float32{0, float32(math.Copysign(0, -1)), 1, -1, inf, -inf, float32(math.NaN()), math.MaxFloat32, -math.MaxFloat32,
		math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 88.72283, 88.72284, 89, -87.33654, -88, -103.97, -103.98, -104, -106}
	for e := -140.0; e < 128; e += 0.37 {
		v := float32(math.Exp2(e))
		x = append(x, v, -v)
	}
	for v := -110.0; v < 110; v += 0.0173 {
		x = append(x, float32(v))
	}
	return x
}

// TestRowOpsAccuracy compares with float64 over all magnitudes, infinities and NaN.
func TestRowOpsAccuracy(t *testing.T) {
	x := sweep()
	ones := make([]float32, len(x))
	for i := range ones {
		ones[i] = 1
	}
	eachTier(t, func(t *testing.T) {
		for _, op := range rowOps {
			t.Run(op.name, func(t *testing.T) {
				dst := make([]float32, len(x))
				op.run(dst, x, ones)
				for i, v := range x {
					want := op.want(float64(v), 1)
					if special := math.IsInf(float64(v), 0) || v != v || math.Abs(float64(v)) > 1e18; special {
						continue // compared with the generic body below
					}
					if !op.near(dst[i], want, float64(v)) {
						t.Fatalf("%s(%g) = %g, want %g (%.2f ulp)", op.name, v, dst[i], want, math.Abs(float64(dst[i])-want)/ulp(want))
					}
				}
				op.compareSpecial(t, x, ones, dst)
			})
		}
	})
}

// compareSpecial wants NaN and infinite results where the generic body has them, also for arguments whose square
// overflows.
func (op rowOp) compareSpecial(t *testing.T, x, ones, got []float32) {
	restore, _ := Use(Generic)
	defer restore()
	want := make([]float32, len(x))
	op.run(want, x, ones)
	for i, v := range x {
		w := float64(want[i])
		if math.Abs(float64(v)) <= 1e18 && v == v {
			continue
		}
		if !op.near(got[i], w, float64(v)) {
			t.Errorf("%s(%g) = %g, generic %g", op.name, v, got[i], w)
		}
	}
}

// TestAddTo tests the operations that add a product to a row.
func TestAddTo(t *testing.T) {
	for name, add := range map[string]func(dst, x, w []float32){
		"AddMul": AddMul,
		"AddScaledRow": func(dst, x, w []float32) {
			for i := range w {
				w[i] = testScale
			}
			AddScaledRow(dst, x, testScale)
		},
	} {
		t.Run(name, func(t *testing.T) { eachTier(t, func(t *testing.T) { checkAddTo(t, add) }) })
	}
}

func checkAddTo(t *testing.T, add func(dst, x, w []float32)) {
	r := newRandom(6)
	for n := 0; n <= 130; n++ {
		x, w, before := guardFloats(r.normal(n)), r.normal(n), r.normal(n)
		dst := guardFloats(before)
		add(dst.data, x.data, w)
		dst.check(t)
		for i, got := range dst.data {
			p := float64(x.data[i]) * float64(w[i])
			if want := float64(before[i]) + p; math.Abs(float64(got)-want) > ulp(p)+ulp(want) {
				t.Fatalf("n=%d: [%d] = %g, want %g", n, i, got, want)
			}
		}
	}
}

func TestRowOpsRefuseLengths(t *testing.T) {
	x, y := make([]float32, 8), make([]float32, 9)
	for i, f := range []func(){
		func() { Add(x, x, y) }, func() { Scale(x, y, 1) }, func() { RMSNorm(x, x, y, 0) }, func() { LayerNorm(x, x, y, nil, 0) },
		func() { SiLUMul(x, y, x) }, func() { RopeNorm(x, x, x, x) }, func() { LoadF16(x, make([]byte, 15)) },
		func() { StoreBF16(make([]byte, 17), x) }, func() { StateStep(make([]float32, 71), x, x, x, y, y) },
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("accepted")
				}
			}()
			f()
		})
	}
}
