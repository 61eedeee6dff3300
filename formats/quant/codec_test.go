package quant

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestDecodeRefusesWrongSizes(t *testing.T) {
	for _, typ := range Types() {
		n, bytes := typ.BlockSize(), typ.BlockBytes()
		mustPanic(t, "elements take", func() { Decode(typ, make([]float32, n), make([]byte, bytes-1)) })
		mustPanic(t, "elements take", func() { Decode(typ, make([]float32, 2*n), make([]byte, bytes)) })
		mustPanic(t, "elements take", func() { Encode(typ, make([]byte, bytes+1), make([]float32, n)) })
		if n > 1 {
			mustPanic(t, "not whole blocks", func() { Decode(typ, make([]float32, n-1), make([]byte, bytes)) })
		}
		Decode(typ, nil, nil)
	}
	mustPanic(t, "q4_2 (4) is not a type", func() { Decode(4, nil, nil) })
}

// TestEncodeNamesUnsupportedTypes: integers and activation types are not written, the coarsest ones not without
// importance.
func TestEncodeNamesUnsupportedTypes(t *testing.T) {
	for _, typ := range Types() {
		err := Encode(typ, make([]byte, typ.BlockBytes()), make([]float32, typ.BlockSize()))
		want := ""
		switch typ {
		case I8, I16, I32, I64, F64, Q8_1, Q8_K:
			want = "cannot encode " + typ.String()
		case IQ1_S, IQ2_XXS, IQ2_XS:
			want = typ.String() + ": this quantization requires an importance matrix!"
		}
		if typ.CanEncode() != !strings.HasPrefix(want, "cannot") || (err == nil) != (want == "") {
			t.Errorf("%s: error %v, CanEncode %v", typ, err, typ.CanEncode())
		}
		if err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", typ, err, want)
		}
		if needs := strings.Contains(want, "requires"); typ.NeedsImportance() != needs || errors.Is(err, ErrImportance) != needs {
			t.Errorf("%s: NeedsImportance %v, error %v", typ, typ.NeedsImportance(), err)
		}
	}
}

// TestDecodeStaysInside puts guards round the output of one to three blocks, and wants every value written and the
// input left alone.
func TestDecodeStaysInside(t *testing.T) {
	const guard = 12345
	rng := rand.New(rand.NewPCG(1, 2))
	for _, typ := range Types() {
		for blocks := range 4 {
			n := blocks * typ.BlockSize()
			src := randomBytes(rng, typ.RowBytes(n))
			before := string(src)
			buf := make([]float32, n+2)
			for i := range buf {
				buf[i] = guard
			}
			Decode(typ, buf[1:1+n:1+n], src)
			if buf[0] != guard || buf[n+1] != guard || string(src) != before {
				t.Fatalf("%s wrote outside of its %d elements", typ, n)
			}
			for i, v := range buf[1 : 1+n] {
				if v == guard {
					t.Fatalf("%s left element %d of %d alone", typ, i, n)
				}
			}
		}
	}
}

// TestBlocksAreIndependent decodes eight blocks at once and one at a time.
func TestBlocksAreIndependent(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, typ := range Types() {
		n, bytes := typ.BlockSize(), typ.BlockBytes()
		src := randomBytes(rng, 8*bytes)
		whole, one := make([]float32, 8*n), make([]float32, n)
		Decode(typ, whole, src)
		for b := range 8 {
			Decode(typ, one, src[b*bytes:][:bytes])
			for i, v := range one {
				if math.Float32bits(v) != math.Float32bits(whole[b*n+i]) {
					t.Fatalf("%s block %d element %d: %g alone, %g in the row", typ, b, i, v, whole[b*n+i])
				}
			}
		}
	}
}

// TestDecodeActivations covers the two types that have scales and bytes only, which no model file holds.
func TestDecodeActivations(t *testing.T) {
	src := append([]byte{0x00, 0x38, 0xff, 0xff}, make([]byte, 32)...) // d = 0.5; the sum is not looked at
	got := make([]float32, 32)
	src[4], src[35] = 3, 0x80
	Decode(Q8_1, got, src)
	if got[0] != 1.5 || got[1] != 0 || got[31] != -64 {
		t.Errorf("q8_1: %v", got)
	}
	src = append([]byte{0, 0, 0, 0x3e}, make([]byte, 288)...) // d = 0.125
	got = make([]float32, 256)
	src[4], src[259], src[260] = 8, 0xf8, 0xff
	Decode(Q8_K, got, src)
	if got[0] != 1 || got[1] != 0 || got[255] != -1 {
		t.Errorf("q8_K: %v", got)
	}
}

// TestFP4ScaleCodes pins the scale codes at the edges, where ggml does not follow the standards.
func TestFP4ScaleCodes(t *testing.T) {
	for e, want := range map[byte]float64{0: 0x1p-128, 1: 0x1p-127, 2: 0x1p-126, 127: 0.5, 254: 0x1p126, 255: 0x1p127} {
		if got := halfE8M0(e); float64(got) != want {
			t.Errorf("halfE8M0(%d) = %g, want %g", e, got, want)
		}
	}
	for x, want := range map[byte]float32{0: 0, 1: 0x1p-10, 7: 7 * 0x1p-10, 8: 0x1p-7, 0x38: 0.5, 0x3c: 0.75, 0x7e: 224,
		0x7f: 0, 0x80: 0, 0xb8: 0.5, 0xff: 240} {
		if got := HalfUE4M3(x); got != want {
			t.Errorf("HalfUE4M3(%#02x) = %g, want %g", x, got, want)
		}
	}
}

func randomBytes(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}
