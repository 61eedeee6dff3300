package quant

import (
	"math"
	"testing"
)

// TestBulkEqualsScalar sends all 65536 halves, and their neighbours in float32, through the bulk conversions.
func TestBulkEqualsScalar(t *testing.T) {
	for _, c := range []struct {
		t       Type
		toF32   func(uint16) float32
		fromF32 func(float32) uint16
	}{{F16, F16ToF32, F32ToF16}, {BF16, BF16ToF32, F32ToBF16}} {
		src, got := make([]byte, 2<<16), make([]float32, 1<<16)
		for i := range got {
			le.PutUint16(src[2*i:], uint16(i))
		}
		Decode(c.t, got, src)
		for _, step := range []uint32{0, 1, 0x0fff, 0x1000, 0x1001, 0x7fff, 0x8000, 0xffff} {
			x := make([]float32, len(got))
			for i, v := range got {
				if want := c.toF32(uint16(i)); math.Float32bits(v) != math.Float32bits(want) {
					t.Fatalf("%s %#04x: bulk %g, scalar %g", c.t, i, v, want)
				}
				x[i] = math.Float32frombits(math.Float32bits(v) + step)
			}
			if err := Encode(c.t, src, x); err != nil {
				t.Fatal(err)
			}
			for i, v := range x {
				if back, want := le.Uint16(src[2*i:]), c.fromF32(v); back != want {
					t.Fatalf("%s(%g): bulk %#04x, scalar %#04x", c.t, v, back, want)
				}
			}
		}
	}
}

func TestDecodeNumbers(t *testing.T) {
	f64 := le.AppendUint64(nil, math.Float64bits(0.1))
	f64 = le.AppendUint64(f64, math.Float64bits(-1e300))
	for _, c := range []struct {
		t    Type
		src  []byte
		want [2]float32
	}{
		{F32, []byte{0, 0, 0x80, 0x3f, 0, 0, 0x80, 0xff}, [2]float32{1, float32(math.Inf(-1))}},
		{F64, f64, [2]float32{0.1, float32(math.Inf(-1))}},
		{I8, []byte{0x7f, 0x80}, [2]float32{127, -128}},
		{I16, []byte{0xff, 0x7f, 0, 0x80}, [2]float32{32767, -32768}},
		{I32, []byte{1, 0, 0, 1, 0, 0, 0, 0x80}, [2]float32{1 << 24, -1 << 31}}, // 2^24+1 rounds to even
		{I64, []byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80}, [2]float32{1, -1 << 63}},
	} {
		var got [2]float32
		Decode(c.t, got[:], c.src)
		if got != c.want {
			t.Errorf("%s: %v, want %v", c.t, got, c.want)
		}
	}
}
