package quant

import "testing"

// TestBadScale puts every 16-bit pattern (every byte for FP4) where a scale is: it is bad exactly when a block decodes to
// something that is not finite, but for FP4, whose unused codes ggml decodes.
func TestBadScale(t *testing.T) {
	for _, typ := range Types() {
		if typ.BlockSize() == 1 || typ == MXFP4 || typ == NVFP4 || typ == IQ1_M || typ == Q8_K || typ == Q8_1 {
			continue
		}
		values := make([]float32, typ.BlockSize())
		for _, at := range halfScales[typ] {
			for bits := 0; bits < 1<<16; bits += 1 << 6 {
				block := make([]byte, 3*typ.BlockBytes())
				b := block[2*typ.BlockBytes():]
				le.PutUint16(b[at:], uint16(bits))
				Decode(typ, values, b)
				_, infinite := FirstNotFinite(values)
				if i, found := BadScale(typ, block); found != infinite || found && i != 2 {
					t.Fatalf("%s: scale %#x at %d: bad %t in block %d, but decodes to what is not finite: %t", typ, bits, at, found, i, infinite)
				}
			}
		}
	}
	for _, c := range []struct {
		typ   Type
		at    int
		bytes string
		bad   bool
	}{
		{MXFP4, 0, "\xff", true}, {MXFP4, 0, "\xfe", false},
		{NVFP4, 3, "\x7f", true}, {NVFP4, 2, "\x80", true}, {NVFP4, 1, "\x7e", false},
		{Q8_K, 0, "\x00\x00\x80\x7f", true}, {Q8_K, 0, "\xff\xff\x7f\xff", false},
		{Q8_1, 2, "\x00\x7c", true},
		{IQ1_M, iq1_MScales, "\x00\x00\x00\x00\x00\xc0\x00\x70", true}, {IQ1_M, iq1_MScales, "\x00\x00\x00\x00\x00\xc0\x00\x30", false},
		{F32, 0, "\x00\x00\x80\x7f", false},
	} {
		block := make([]byte, c.typ.BlockBytes())
		copy(block[c.at:], c.bytes)
		if _, bad := BadScale(c.typ, block); bad != c.bad {
			t.Errorf("%s: %x at %d: %t", c.typ, c.bytes, c.at, bad)
		}
	}
}
