package quant

import (
	"bytes"
	"math"
	"testing"
)

// FuzzDecode decodes any bytes as blocks of any type, and encodes the values again where that can be done: no panic,
// every block decodes by itself as it does in the row, and plain numbers come back as the same bytes.
func FuzzDecode(f *testing.F) {
	for _, t := range Types() {
		f.Add(uint32(t), bytes.Repeat([]byte{0xff}, 2*t.BlockBytes()))
		f.Add(uint32(t), bytes.Repeat([]byte{0x00, 0x3c, 0x5a}, t.BlockBytes()))
	}
	f.Fuzz(func(t *testing.T, number uint32, data []byte) {
		typ := Type(number)
		if !typ.Valid() {
			if typ.CanEncode() {
				t.Fatalf("%s can be encoded but is not valid", typ)
			}
			return
		}
		blocks := min(len(data)/typ.BlockBytes(), 16)
		data = data[:blocks*typ.BlockBytes()]
		values := make([]float32, blocks*typ.BlockSize())
		Decode(typ, values, data)
		if blocks > 1 {
			checkLastBlock(t, typ, values, data)
		}
		checkEncode(t, typ, values, data)
	})
}

func checkLastBlock(t *testing.T, typ Type, values []float32, data []byte) {
	last := make([]float32, typ.BlockSize())
	Decode(typ, last, data[len(data)-typ.BlockBytes():])
	for i, want := range values[len(values)-len(last):] {
		if math.Float32bits(last[i]) != math.Float32bits(want) {
			t.Fatalf("%s: element %d of the last block is %g alone, %g in the row", typ, i, last[i], want)
		}
	}
}

// checkEncode encodes what was decoded. Block types take it or say why not; what they take decodes to finite numbers.
func checkEncode(t *testing.T, typ Type, values []float32, data []byte) {
	if !typ.CanEncode() || len(values) == 0 {
		return
	}
	importance := make([]float32, len(values))
	for i := range importance {
		importance[i] = float32(i % 7)
	}
	again := make([]byte, len(data))
	if err := EncodeWeighted(typ, again, values, importance); err != nil {
		if typ.BlockSize() == 1 || typ == Q8_0 {
			t.Fatal(err)
		}
		return
	}
	if typ.BlockSize() == 1 {
		checkPlain(t, typ, values, again, data)
	} else if typ != Q8_0 {
		Decode(typ, values, again)
		if i, bad := FirstNotFinite(values); bad {
			t.Fatalf("%s: element %d decodes to %g", typ, i, values[i])
		}
	}
}

func checkPlain(t *testing.T, typ Type, values []float32, again, data []byte) {
	for i, v := range values {
		at, size := i*typ.BlockBytes(), typ.BlockBytes()
		if !math.IsNaN(float64(v)) && !bytes.Equal(again[at:at+size], data[at:at+size]) {
			t.Fatalf("%s: % x came back as % x", typ, data[at:at+size], again[at:at+size])
		}
	}
}

// FuzzEncodeQ8_0 encodes any float32: no panic, and finite values that f16 scales can hold come back within a step.
func FuzzEncodeQ8_0(f *testing.F) {
	f.Add([]byte{0, 0, 0x80, 0x3f, 0, 0, 0xc0, 0x7f, 0, 0, 0x80, 0xff, 1, 0, 0, 0})
	f.Add(bytes.Repeat([]byte{0xff, 0xff, 0x7f, 0x7f}, 32))
	f.Fuzz(func(t *testing.T, data []byte) {
		raw, src, enc := make([]byte, 128), make([]float32, 32), make([]byte, 34)
		copy(raw, data)
		Decode(F32, src, raw)
		if err := Encode(Q8_0, enc, src); err != nil {
			t.Fatal(err)
		}
		back := make([]float32, 32)
		Decode(Q8_0, back, enc)
		step := float64(maxAbs((*[32]float32)(src))) / 127
		if !(step < 65000) {
			return
		}
		for i, v := range src {
			if diff := math.Abs(float64(v) - float64(back[i])); !(diff <= step+127*0x1p-25) {
				t.Fatalf("%g came back as %g with steps of %g", v, back[i], step)
			}
		}
	})
}
