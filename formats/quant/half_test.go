package quant

import (
	"math"
	"testing"
)

// TestDecodeF16 compares the body that runs with the generic one, for every half and every length up to 40.
func TestDecodeF16(t *testing.T) {
	src := make([]byte, 2<<16)
	for i := range 1 << 16 {
		le.PutUint16(src[2*i:], uint16(i))
	}
	got, want := make([]float32, 1<<16), make([]float32, 1<<16)
	for n := range 41 {
		decodeF16(got[:n], src[:2*n])
	}
	decodeF16(got, src)
	decodeF16Generic(want, src)
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("half %#04x is %g, want %g", i, got[i], want[i])
		}
	}
}
