package quant

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestTrials compares the bodies that this machine has with the generic one, bit for bit, for every length up to a
// superblock's.
func TestTrials(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for _, body := range trialBodies() {
		for n := range superSize + 1 {
			x, w := make([]float32, n), make([]float32, n)
			for i := range x {
				x[i], w[i] = float32(rng.NormFloat64()), float32(rng.ExpFloat64())
			}
			var want trials
			for k := range lanes {
				want.inv[k], want.off[k] = float32(rng.NormFloat64()*8), float32(rng.NormFloat64())
			}
			got := want
			want.runGeneric(x, w, -8, 7)
			body.run(&got, x, w, -8, 7)
			if got != want {
				t.Fatalf("%s, n=%d: %v, want %v", body.name, n, got, want)
			}
		}
	}
}

type trialBody struct {
	name string
	run  func(t *trials, x, w []float32, lo, hi float32)
}

// TestRoundHalfEven compares with the definition round integers and halves.
func TestRoundHalfEven(t *testing.T) {
	for i := -256; i <= 256; i++ {
		x := float32(i) / 2
		for _, v := range []float32{math.Nextafter32(x, -1000), x, math.Nextafter32(x, 1000)} {
			if got, want := roundHalfEven(v), int(math.RoundToEven(float64(v))); got != want {
				t.Errorf("roundHalfEven(%g) = %d, want %d", v, got, want)
			}
		}
	}
}
