package quant

import "testing"

// TestScale pins that the scale is what the values are proportional to: twice the values, twice the scale.
func TestScale(t *testing.T) {
	for _, typ := range Types() {
		if !typ.CanEncode() {
			continue
		}
		x, twice, weights := make([]float32, typ.BlockSize()), make([]float32, typ.BlockSize()), make([]float32, typ.BlockSize())
		for i := range x {
			x[i], weights[i] = float32(i*37%61-30)/16, 1
			twice[i] = 2 * x[i]
		}
		one, two := make([]byte, typ.BlockBytes()), make([]byte, typ.BlockBytes())
		if EncodeWeighted(typ, one, x, weights) != nil || EncodeWeighted(typ, two, twice, weights) != nil {
			t.Fatalf("%s: cannot be encoded", typ)
		}
		a, ok := Scale(typ, one)
		b, _ := Scale(typ, two)
		if ok != (typ.BlockSize() > 1) || b != 2*a || ok && a == 0 {
			t.Errorf("%s: scale %g of values, %g of twice the values, %t", typ, a, b, ok)
		}
	}
	for _, c := range []struct {
		typ   Type
		bytes string
		want  float32
	}{{Q8_0, "\x00\x3c", 1}, {MXFP4, "\x80", 2}, {NVFP4, "\x38\x40\x30\x38", 2}, {Q8_K, "\x00\x00\x80\x3f", 1}} {
		block := make([]byte, c.typ.BlockBytes())
		copy(block, c.bytes)
		if got, ok := Scale(c.typ, block); got != c.want || !ok {
			t.Errorf("%s: %g, want %g", c.typ, got, c.want)
		}
	}
}
