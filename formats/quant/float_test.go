package quant

import (
	"math"
	"testing"
)

// halfValue is the definition: (-1)^s 2^(e-15) 1.m, and 2^-14 0.m for exponent 0.
func halfValue(h uint16) float64 {
	exponent, mantissa := int(h>>10&31), float64(h&0x3ff)/1024
	value := math.Ldexp(1+mantissa, exponent-15)
	switch {
	case exponent == 0:
		value = math.Ldexp(mantissa, -14)
	case exponent == 31 && mantissa == 0:
		value = math.Inf(1)
	case exponent == 31:
		value = math.NaN()
	}
	return math.Copysign(value, float64(1-int(h>>15)*2))
}

func TestF16ToF32(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		got, want := F16ToF32(h), halfValue(h)
		if math.IsNaN(want) {
			wantBits := uint32(h>>15)<<31 | 0x7fc00000 | uint32(h&0x3ff)<<13
			if math.Float32bits(got) != wantBits {
				t.Fatalf("F16ToF32(%#04x) = %#x, want the quiet NaN %#x", h, math.Float32bits(got), wantBits)
			}
		} else if math.Float32bits(got) != math.Float32bits(float32(want)) {
			t.Fatalf("F16ToF32(%#04x) = %g, want %g", h, got, want)
		}
		if back := F32ToF16(got); back != h && !(math.IsNaN(want) && back == h|0x200) {
			t.Fatalf("%#04x came back as %#04x", h, back)
		}
	}
}

// TestF32ToF16Rounds looks at every gap between neighbouring halves: the middle goes to the even one, and the
// float32 beside the middle to the nearer one. After the largest half the next step, 65536, is the infinity.
func TestF32ToF16Rounds(t *testing.T) {
	for i := range uint16(0x7c00) {
		low, high := halfValue(i), halfValue(i+1)
		if i+1 == 0x7c00 {
			high = 65536
		}
		middle := float32((low + high) / 2) // exact: one bit more than a half
		even := i + i&1
		for _, c := range []struct {
			x    float32
			want uint16
		}{
			{middle, even},
			{math.Nextafter32(middle, 0), i},
			{math.Nextafter32(middle, math.MaxFloat32), i + 1},
		} {
			if got := F32ToF16(c.x); got != c.want {
				t.Fatalf("F32ToF16(%g) = %#04x, want %#04x", c.x, got, c.want)
			}
			if got := F32ToF16(-c.x); got != c.want|0x8000 {
				t.Fatalf("F32ToF16(%g) = %#04x, want %#04x", -c.x, got, c.want|0x8000)
			}
		}
	}
}

func TestF32ToF16Extremes(t *testing.T) {
	for bits, want := range map[uint32]uint16{
		0x00000000: 0x0000, 0x80000000: 0x8000, // zeros
		0x00000001: 0x0000, 0x807fffff: 0x8000, // float32 subnormals
		0x33000000: 0x0000, 0x33000001: 0x0001, // 2^-25 is the middle between 0 and the smallest half
		0x7f7fffff: 0x7c00, 0xff7fffff: 0xfc00, // the largest float32
		0x7f800000: 0x7c00, 0xff800000: 0xfc00, // infinities
		0x7f800001: 0x7e00, 0xff800001: 0xfe00, // signalling NaNs become quiet
		0x7fc02000: 0x7e01, 0xffffffff: 0xffff, // the payload's upper bits stay
	} {
		if got := F32ToF16(math.Float32frombits(bits)); got != want {
			t.Errorf("F32ToF16(bits %#08x) = %#04x, want %#04x", bits, got, want)
		}
	}
}

func TestBF16(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		f := BF16ToF32(h)
		if math.Float32bits(f) != uint32(h)<<16 {
			t.Fatalf("BF16ToF32(%#04x) = %#x", h, math.Float32bits(f))
		}
		if math.IsNaN(float64(f)) {
			if got := F32ToBF16(f); got != h|0x40 {
				t.Fatalf("NaN %#04x came back as %#04x", h, got)
			}
			continue
		}
		for low, up := range map[uint32]uint16{0: 0, 1: 0, 0x7fff: 0, 0x8000: h & 1, 0x8001: 1, 0xffff: 1} {
			x := math.Float32frombits(uint32(h)<<16 | low)
			if math.IsNaN(float64(x)) {
				continue // an infinity with low bits
			}
			if got := F32ToBF16(x); got != h+up {
				t.Fatalf("F32ToBF16(bits %#08x) = %#04x, want %#04x", math.Float32bits(x), got, h+up)
			}
		}
	}
	if got := F32ToBF16(math.Float32frombits(0x7f800001)); got != 0x7fc0 {
		t.Errorf("a NaN with its payload in the lower half became %#04x, want 0x7fc0", got)
	}
}
