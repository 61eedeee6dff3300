package quant

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

func randomBlock(rng *rand.Rand, n int) (x, w []float32) {
	x, w = make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], w[i] = float32(rng.NormFloat64()), float32(rng.ExpFloat64())
	}
	return x, w
}

// TestTrials compares the bodies that this machine has with the generic one, bit for bit, for every length up to a
// superblock's, with and without lines that miss zero.
func TestTrials(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(31, 32))
		for n := range superSize + 1 {
			x, w := randomBlock(rng, n)
			want := trials{first: 5, step: float32(rng.NormFloat64()), unit: float32(1 + rng.Float64()), shift: float32(rng.NormFloat64())}
			for i := range n * (n % 2) { // odd lengths
				want.sw, want.sx = want.sw+w[i], want.sx+float32(w[i]*x[i])
			}
			got := want
			want.runGeneric(x, w, -8, 7)
			got.run(x, w, -8, 7)
			for k := range lanes {
				if math.IsNaN(want.gain[k]) && math.IsNaN(got.gain[k]) {
					want.gain[k], got.gain[k] = 0, 0
				}
			}
			if got != want {
				t.Fatalf("n=%d:\n%v, want\n%v", n, got, want)
			}
		}
	})
}

// TestGain compares what a trial is said to explain with the definition, the weighted squares before and after.
func TestGain(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 38))
	for range 200 {
		x, w := randomBlock(rng, 32)
		f := affineFit{x: x, w: w, top: 15}
		f.extent.take(x, w)
		f.t.sw, f.t.sx = f.sw, f.sx
		f.try(f.lo, -1, 0.1)
		k := f.t.best(0)
		var before, after float64
		for i, v := range x {
			q := roundBetween(float32(v*f.t.inv[k])+float32(f.t.shift*f.t.inv[k]), 0, 15)
			e := float64(v) - float64(f.scale)*float64(q) - float64(f.base)
			before, after = before+float64(w[i])*float64(v)*float64(v), after+float64(w[i])*e*e
		}
		if got, want := f.t.gain[k], before-after; math.Abs(got-want) > 1e-5*before {
			t.Fatalf("explains %g, want %g of %g", got, want, before)
		}
	}
}

// TestExtent compares with the generic body, bit for bit.
func TestExtent(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(33, 34))
		for n := 8; n <= superSize; n += 8 {
			x, w := randomBlock(rng, n)
			var got, want extent
			want.takeGeneric(x, w)
			if got.take(x, w); got != want {
				t.Fatalf("n=%d: %v, want %v", n, got, want)
			}
		}
	})
}

// TestRoundCodes compares with the generic body.
func TestRoundCodes(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(35, 36))
		for n := 16; n <= superSize; n += 16 {
			x, _ := randomBlock(rng, n)
			x[0], x[1], x[2], x[3] = 0.5, 1.5, 1e30, -1e30
			got, want := make([]byte, n), make([]byte, n)
			for _, c := range []struct {
				shift, inv, lo, hi float32
				zero               int
			}{{0, 1, -4, 3, 4}, {0.25, 77, -32, 31, 32}, {1, 30, 0, 31, 0}, {-0.5, -3, 0, 3, 0}} {
				roundCodesGeneric(want, x, c.shift, c.inv, c.lo, c.hi, c.zero)
				if roundCodes(got, x, c.shift, c.inv, c.lo, c.hi, c.zero); !bytes.Equal(got, want) {
					t.Fatalf("n=%d %v: %v, want %v", n, c, got, want)
				}
			}
		}
	})
}

// TestRoundBetween compares with the definition round integers and halves.
func TestRoundBetween(t *testing.T) {
	for i := -256; i <= 256; i++ {
		x := float32(i) / 2
		for _, v := range []float32{math.Nextafter32(x, -1000), x, math.Nextafter32(x, 1000)} {
			if got, want := clampRound(v, -512, 512), int(math.RoundToEven(float64(v))); got != want {
				t.Errorf("clampRound(%g) = %d, want %d", v, got, want)
			}
		}
	}
}
