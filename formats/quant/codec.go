package quant

import "fmt"

// Decode writes the values of src's blocks to dst. src must have exactly t.RowBytes(len(dst)) bytes; Decode panics
// if it has not, or if t is not valid, but never because of what the bytes say. Integers and float64 are rounded to
// float32.
func Decode(t Type, dst []float32, src []byte) {
	checkSizes("decode", t, len(dst), len(src))
	kinds[t].decode(dst, src)
}

// Encode writes src's values as blocks to dst, which must have exactly t.RowBytes(len(src)) bytes; it panics
// otherwise. The error says that t cannot be written yet; F32, F16, BF16 and Q8_0 can. NaN and infinities are
// kept where the type has them; a Q8_0 block that holds one decodes to NaN, so that the fault stays visible.
func Encode(t Type, dst []byte, src []float32) error {
	checkSizes("encode", t, len(src), len(dst))
	encode := kinds[t].encode
	if encode == nil {
		return fmt.Errorf("quant: cannot encode %s; f32, f16, bf16 and q8_0 can be written", t)
	}
	encode(dst, src)
	return nil
}

// CanEncode reports whether Encode can write t.
func (t Type) CanEncode() bool { return t.Valid() && kinds[t].encode != nil }

func checkSizes(verb string, t Type, elements, bytes int) {
	if want := t.RowBytes(elements); bytes != want {
		panic(fmt.Sprintf("quant: %s %s: %d elements take %d bytes, not %d", verb, t, elements, want, bytes))
	}
}
