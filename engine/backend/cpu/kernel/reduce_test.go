package kernel

import (
	"math"
	"testing"
)

// closeTo reports whether got is want within rel of size.
func closeTo(got float32, want, size, rel float64) bool {
	return math.Abs(float64(got)-want) <= rel*size+math.SmallestNonzeroFloat32
}

func TestNorms(t *testing.T) {
	const eps = 1e-5
	eachTier(t, func(t *testing.T) {
		r := newRandom(7)
		for n := 0; n <= 130; n++ {
			x, w, b := guardFloats(r.normal(n)), guardFloats(r.normal(n)), guardFloats(r.normal(n))
			for _, weighted := range []bool{false, true} {
				wd, bd := w.data, b.data
				if !weighted {
					wd, bd = nil, nil
				}
				dst := guardFloats(make([]float32, n))
				RMSNorm(dst.data, x.data, wd, eps)
				dst.check(t)
				verifyNorm(t, "RMSNorm", dst.data, x.data, wd, nil, 0, eps)
				LayerNorm(dst.data, x.data, wd, bd, eps)
				dst.check(t)
				verifyNorm(t, "LayerNorm", dst.data, x.data, wd, bd, 1, eps)
			}
		}
	})
}

// verifyNorm compares with the formula in float64; centered is 1 to subtract the mean, 0 not to.
func verifyNorm(t *testing.T, name string, dst, x, w, b []float32, centered, eps float64) {
	t.Helper()
	n := float64(len(x))
	var mean, squares float64
	for _, v := range x {
		mean += float64(v) / n * centered
	}
	for _, v := range x {
		squares += (float64(v) - mean) * (float64(v) - mean)
	}
	s := 1 / math.Sqrt(squares/n+eps)
	for i, v := range x {
		want, size := (float64(v)-mean)*s, (math.Abs(float64(v))+math.Abs(mean))*s
		if w != nil {
			want, size = want*float64(w[i]), size*math.Abs(float64(w[i]))
		}
		if b != nil {
			want, size = want+float64(b[i]), size+math.Abs(float64(b[i]))
		}
		if !closeTo(dst[i], want, size, 3e-7) {
			t.Fatalf("%s n=%d: [%d] = %g, want %g", name, len(x), i, dst[i], want)
		}
	}
}

// TestRMSNormExtremes has rows whose squares overflow or vanish in float32, and long rows of equal elements.
func TestRMSNormExtremes(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for _, v := range []float32{1e-30, 1, 3e37} {
			x := make([]float32, 20_000)
			for i := range x {
				x[i] = v
			}
			RMSNorm(x, x, nil, 0)
			for i, got := range x {
				if !closeTo(got, 1, 1, 2e-7) {
					t.Fatalf("elements of %g: [%d] = %g, want 1", v, i, got)
				}
			}
		}
		x := []float32{1, float32(math.NaN()), 3}
		if RMSNorm(x, x, nil, 1e-5); x[0] == x[0] || x[2] == x[2] {
			t.Errorf("row with a NaN = %v, want all NaN", x)
		}
	})
}

func TestSums(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		r := newRandom(8)
		for n := 0; n <= 300; n++ {
			x := guardFloats(r.normal(n))
			for name, got := range map[string][2]float64{
				"sum":             {current.sum(x.data), sumGeneric(x.data)},
				"sumSquares":      {current.sumSquares(x.data), sumSquaresGeneric(x.data)},
				"sumSquaresAbout": {current.sumSquaresAbout(x.data, testMean), sumSquaresAboutGeneric(x.data, testMean)},
			} {
				if math.Abs(got[0]-got[1]) > 1e-13*float64(n) {
					t.Fatalf("%s n=%d = %g, want %g", name, n, got[0], got[1])
				}
			}
		}
	})
}

func TestMaxOf(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	eachTier(t, func(t *testing.T) {
		for n := 0; n <= 130; n++ {
			for at := range n {
				x := guardFloats(make([]float32, n))
				for i := range x.data {
					x.data[i] = -5 - float32(i%3)
				}
				x.data[(at+n/2)%n] = nan
				x.data[at] = -4
				if got := MaxOf(x.data); got != -4 {
					t.Fatalf("n=%d, largest at %d: %g, want -4", n, at, got)
				}
			}
		}
		for _, c := range []struct {
			x    []float32
			want float32
		}{{nil, -inf}, {[]float32{nan}, -inf}, {[]float32{nan, -inf}, -inf}, {[]float32{1, inf, nan}, inf}, {[]float32{nan, 2}, 2}} {
			if got := MaxOf(c.x); got != c.want {
				t.Errorf("MaxOf(%v) = %g, want %g", c.x, got, c.want)
			}
		}
	})
}

// TestExp compares every element of ExpSum with float64: within 1.5 ulp, gradual underflow and overflow included.
func TestExp(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		x := sweep()
		got := append([]float32(nil), x...)
		ExpSum(got, 0)
		for i, v := range x {
			want := math.Exp(float64(v))
			switch {
			case v != v:
				if got[i] == got[i] {
					t.Errorf("exp(NaN) = %g", got[i])
				}
			case float64(float32(want)) > math.MaxFloat32:
				if !math.IsInf(float64(got[i]), 1) && float64(got[i]) < 0.9999999*math.MaxFloat32 {
					t.Errorf("exp(%g) = %g, want overflow", v, got[i])
				}
			case math.Abs(float64(got[i])-want) > 1.5*ulp(want):
				t.Errorf("exp(%g) = %g, want %g", v, got[i], want)
			}
		}
	})
}

func TestSoftmax(t *testing.T) {
	inf := float32(math.Inf(1))
	eachTier(t, func(t *testing.T) {
		r := newRandom(9)
		for n := 1; n <= 130; n++ {
			x := guardFloats(r.normal(n))
			for i := range x.data {
				x.data[i] *= 20
			}
			x.data[n/2] = 0
			if n > 3 {
				x.data[n/3] = -inf
			}
			in := append([]float32(nil), x.data...)
			Softmax(x.data)
			x.check(t)
			verifySoftmax(t, x.data, in)
		}
		masked := []float32{-inf, -inf, -inf}
		if Softmax(masked); masked[0] != 0 || masked[1] != 0 || masked[2] != 0 {
			t.Errorf("a row that is masked throughout = %v, want zeros", masked)
		}
		if s := ExpSum([]float32{1, float32(math.NaN())}, 1); s == s {
			t.Errorf("sum with a NaN = %g", s)
		}
	})
}

func verifySoftmax(t *testing.T, got, in []float32) {
	t.Helper()
	top, sum := float64(MaxOf(in)), 0.0
	for _, v := range in {
		sum += math.Exp(float64(v) - top)
	}
	for i, v := range in {
		want := math.Exp(float64(float32(float64(v)-top))) / sum
		if !closeTo(got[i], want, want, 4e-7) {
			t.Fatalf("softmax n=%d: [%d] = %g, want %g", len(in), i, got[i], want)
		}
	}
}

func TestRope(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		r := newRandom(10)
		for h := 0; h <= 66; h++ {
			x, cos, sin := guardFloats(r.normal(2*h)), guardFloats(r.normal(h)), guardFloats(r.normal(h))
			for _, neox := range []bool{false, true} {
				dst := guardFloats(make([]float32, 2*h))
				f, second, stride := RopeNorm, 1, 2
				if neox {
					f, second, stride = RopeNeox, h, 1
				}
				f(dst.data, x.data, cos.data, sin.data)
				dst.check(t)
				for i := range h {
					verifyTurn(t, dst.data, x.data, i*stride, i*stride+second, cos.data[i], sin.data[i])
				}
				inPlace := guardFloats(x.data)
				f(inPlace.data, inPlace.data, cos.data, sin.data)
				inPlace.check(t)
				for i := range dst.data {
					if !same(inPlace.data[i], dst.data[i]) {
						t.Fatalf("neox=%v h=%d in place: [%d] = %g, want %g", neox, h, i, inPlace.data[i], dst.data[i])
					}
				}
			}
		}
	})
}

// verifyTurn checks the pair of elements i and j.
func verifyTurn(t *testing.T, dst, x []float32, i, j int, cos, sin float32) {
	t.Helper()
	a, b, c, s := float64(x[i]), float64(x[j]), float64(cos), float64(sin)
	if !closeTo(dst[i], a*c-b*s, math.Abs(a*c)+math.Abs(b*s), 2e-7) || !closeTo(dst[j], a*s+b*c, math.Abs(a*s)+math.Abs(b*c), 2e-7) {
		t.Fatalf("n=%d: (%g, %g) turned by (%g, %g) = (%g, %g)", len(x), a, b, c, s, dst[i], dst[j])
	}
}
