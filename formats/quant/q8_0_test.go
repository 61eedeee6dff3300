package quant

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

// q8_0Block encodes one block that begins with the given values; the rest is zero.
func q8_0Block(t *testing.T, values ...float32) []byte {
	t.Helper()
	src, dst := make([]float32, 32), bytes.Repeat([]byte{0xaa}, 34)
	copy(src, values)
	if err := Encode(Q8_0, dst, src); err != nil {
		t.Fatal(err)
	}
	return dst
}

func TestEncodeQ8_0(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		name  string
		in    []float32
		scale uint16
		qs    []int8
	}{
		{"zeros", []float32{0, float32(math.Copysign(0, -1))}, 0, []int8{0, 0}},
		{"unit scale", []float32{127, -127, 1, 64}, 0x3c00, []int8{127, -127, 1, 64}},
		{"halves go away from zero", []float32{127, 0.5, -0.5, 1.5, 2.5, -2.5}, 0x3c00, []int8{127, 1, -1, 2, 3, -3}},
		{"just under a half", []float32{127, 0.49999997, -0.49999997}, 0x3c00, []int8{127, 0, 0}},
		{"the sign of the largest", []float32{-254, 2}, 0x4000, []int8{-127, 1}},
		{"a scale below the smallest half", []float32{1e-7, -1e-7}, 0, []int8{127, -127}},
		{"an inverse that overflows", []float32{1e-40, -1e-40}, 0, []int8{0, 0}},
		{"a scale above the largest half", []float32{1e8, -1e8}, 0x7c00, []int8{127, -127}},
		{"infinity", []float32{1, inf, -1}, 0x7c00, []int8{0, 0, 0}},
		{"minus infinity", []float32{-inf}, 0x7c00, []int8{0}},
		{"NaN first", []float32{nan, 1}, 0x7e00, []int8{0, 0}},
		{"NaN last", []float32{1, inf, nan}, 0x7e00, []int8{0, 0, 0}},
	} {
		got := q8_0Block(t, c.in...)
		want := make([]byte, 34)
		le.PutUint16(want, c.scale)
		for i, q := range c.qs {
			want[2+i] = byte(q)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: % x, want % x", c.name, got, want)
		}
	}
}

// TestQ8_0KeepsFaultsVisible: what was not finite does not decode to a harmless number.
func TestQ8_0KeepsFaultsVisible(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		got := make([]float32, 32)
		Decode(Q8_0, got, q8_0Block(t, 1, float32(v)))
		for i, g := range got {
			if !math.IsNaN(float64(g)) {
				t.Errorf("block with %g: element %d decodes to %g", v, i, g)
			}
		}
	}
}

// TestQ8_0Error bounds the round trip: half a step of rounding, and the rounding of the scale to f16, 127 steps times
// 2^-11, or 2^-25 for a subnormal scale.
func TestQ8_0Error(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	src, back, enc := make([]float32, 32), make([]float32, 32), make([]byte, 34)
	for range 20000 {
		size := math.Ldexp(1, rng.IntN(60)-40)
		for i := range src {
			src[i] = float32(rng.NormFloat64() * size)
		}
		if err := Encode(Q8_0, enc, src); err != nil {
			t.Fatal(err)
		}
		Decode(Q8_0, back, enc)
		step := float64(maxAbs((*[32]float32)(src))) / 127
		bound := 0.501*step + 127*math.Max(step*0x1p-11, 0x1p-25)
		for i, v := range src {
			if diff := math.Abs(float64(v) - float64(back[i])); !(diff <= bound) {
				t.Fatalf("%g came back as %g; step %g, bound %g", v, back[i], step, bound)
			}
		}
	}
}

// TestRoundAway compares with the definition round the integers and halves.
func TestRoundAway(t *testing.T) {
	for i := -256; i <= 256; i++ {
		x := float32(i) / 2
		for _, v := range []float32{math.Nextafter32(x, -1000), x, math.Nextafter32(x, 1000)} {
			if got, want := roundAway(v), int32(math.Round(float64(v))); got != want {
				t.Errorf("roundAway(%g) = %d, want %d", v, got, want)
			}
		}
	}
}
