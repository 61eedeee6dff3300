package quant

import (
	"errors"
	"fmt"
	"math"
)

// Decode writes the values of src's blocks to dst. src must have exactly t.RowBytes(len(dst)) bytes; Decode panics
// if it has not, or if t is not valid, but never because of what the bytes say. Integers and float64 are rounded to
// float32.
func Decode(t Type, dst []float32, src []byte) {
	checkSizes("decode", t, len(dst), len(src))
	kinds[t].decode(dst, src)
}

// Encode writes src's values as blocks to dst, which must have exactly t.RowBytes(len(src)) bytes; it panics otherwise.
// It is EncodeWeighted without importance.
func Encode(t Type, dst []byte, src []float32) error { return EncodeWeighted(t, dst, src, nil) }

// EncodeWeighted writes src's values as blocks to dst, which must have exactly t.RowBytes(len(src)) bytes. Importance
// tells how much the columns matter, for example the mean square of the activations that they are multiplied by: src is
// then rows of len(importance) elements. Nil, they all matter the same. Types that gain nothing by it do not look at it.
//
// Rows are encoded one by one and nothing is kept between calls. It panics where sizes do not fit. The errors:
// ErrImportance where t needs importance and there is none; integers, F64 and the activation types Q8_1 and Q8_K are not
// written; a value that is not finite, or too large for the type's scale, is told with its place and dst is then
// worthless. F32, F16, BF16 and Q8_0 keep NaN and infinities instead (a Q8_0 block that holds one decodes to NaN), so
// that the fault stays visible; FirstNotFinite finds it before.
func EncodeWeighted(t Type, dst []byte, src, importance []float32) error {
	checkSizes("encode", t, len(src), len(dst))
	k := &kinds[t]
	switch {
	case k.encode == nil:
		return fmt.Errorf("quant: cannot encode %s; use a float type or one of the Q, IQ, TQ and FP4 types", t)
	case importance == nil && t.NeedsImportance():
		return fmt.Errorf("quant: %s: %w", t, ErrImportance)
	case t == Q8_0 || k.block == 1:
		k.encode(dst, src, nil)
		return nil
	}
	if err := checkRange(t, src); err != nil {
		return err
	}
	if err := encodeRows(k, dst, src, importance); err != nil {
		return err
	}
	return checkScales(t, dst)
}

func encodeRows(k *kind, dst []byte, src, importance []float32) error {
	if importance == nil {
		k.encode(dst, src, nil)
		return nil
	}
	n := len(importance)
	if n == 0 || n%k.block != 0 || len(src)%n != 0 {
		panic(fmt.Sprintf("quant: %d elements are not rows of %d importances in blocks of %d", len(src), n, k.block))
	}
	if err := checkImportance(importance); err != nil {
		return err
	}
	for size := n / k.block * k.bytes; len(src) > 0; dst, src = dst[size:], src[n:] {
		k.encode(dst[:size], src[:n], importance)
	}
	return nil
}

// ErrImportance says that a type is too coarse to be chosen without knowing which columns matter.
//
//lint:ignore ST1005 these are the words that users search for
var ErrImportance = errors.New("this quantization requires an importance matrix!")

// NeedsImportance reports whether t cannot be written without importance.
func (t Type) NeedsImportance() bool { return t == IQ2_XXS || t == IQ2_XS || t == IQ1_S }

// largest is the largest magnitude that the block types take; beyond it sums overflow, and no half-precision scale could
// express it anyway.
const largest = 1e9

// FirstNotFinite returns the index of the first NaN or infinity.
func FirstNotFinite(src []float32) (i int, found bool) {
	return firstAbove(src, math.Float32bits(maxFloat))
}

// firstAbove returns the first element whose magnitude has larger bits than limit.
func firstAbove(src []float32, limit uint32) (i int, found bool) {
	var worst [4]uint32
	rest := src
	for ; len(rest) >= 4; rest = rest[4:] {
		for j := range worst {
			worst[j] = max(worst[j], math.Float32bits(rest[j])&^(1<<31))
		}
	}
	if len(rest) == 0 && max(worst[0], worst[1], worst[2], worst[3]) <= limit {
		return 0, false
	}
	for i, v := range src {
		if math.Float32bits(v)&^(1<<31) > limit {
			return i, true
		}
	}
	return 0, false
}

func checkRange(t Type, src []float32) error {
	i, found := firstAbove(src, math.Float32bits(largest))
	if !found {
		return nil
	}
	return fmt.Errorf("quant: %s: element %d is %g; it must be finite and not above %g", t, i, src[i], float32(largest))
}

func checkImportance(importance []float32) error {
	for i, v := range importance {
		if !(v >= 0 && v <= maxFloat) {
			return fmt.Errorf("quant: importance of column %d is %g; it must be finite and not negative", i, v)
		}
	}
	return nil
}

// checkScales looks for a scale that overflowed.
func checkScales(t Type, blocks []byte) error {
	if i, found := BadScale(t, blocks); found {
		return fmt.Errorf("quant: %s: the values of block %d, from element %d on, are too large for a half-precision scale", t, i, i*kinds[t].block)
	}
	return nil
}

// CanEncode reports whether Encode can write t.
func (t Type) CanEncode() bool { return t.Valid() && kinds[t].encode != nil }

func checkSizes(verb string, t Type, elements, bytes int) {
	if want := t.RowBytes(elements); bytes != want {
		panic(fmt.Sprintf("quant: %s %s: %d elements take %d bytes, not %d", verb, t, elements, want, bytes))
	}
}
