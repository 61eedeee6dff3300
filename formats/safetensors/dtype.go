package safetensors

import (
	"math"
	"slices"

	"github.com/llamakit/llamakit/formats/internal/fault"
	"github.com/llamakit/llamakit/formats/quant"
)

// DType is the type of a tensor's elements, spelled as in the header.
type DType string

// The types of the reference implementation, version 0.6.
const (
	BOOL    DType = "BOOL"
	F4      DType = "F4"      // E2M1, two in a byte
	F6_E2M3 DType = "F6_E2M3" // 6 bits
	F6_E3M2 DType = "F6_E3M2" // 6 bits
	U8      DType = "U8"
	I8      DType = "I8"
	F8_E5M2 DType = "F8_E5M2"
	F8_E4M3 DType = "F8_E4M3" // without infinities
	F8_E8M0 DType = "F8_E8M0" // powers of two, for scales
	I16     DType = "I16"
	U16     DType = "U16"
	F16     DType = "F16"
	BF16    DType = "BF16"
	I32     DType = "I32"
	U32     DType = "U32"
	F32     DType = "F32"
	C64     DType = "C64" // a pair of F32
	F64     DType = "F64"
	I64     DType = "I64"
	U64     DType = "U64"
)

// dtypes is in the order by which the reference implementation sorts tensors, the last one first.
var dtypes = []struct {
	name DType
	bits int
}{
	{BOOL, 8}, {F4, 4}, {F6_E2M3, 6}, {F6_E3M2, 6}, {U8, 8}, {I8, 8}, {F8_E5M2, 8}, {F8_E4M3, 8}, {F8_E8M0, 8}, {I16, 16}, {U16, 16},
	{F16, 16}, {BF16, 16}, {I32, 32}, {U32, 32}, {F32, 32}, {C64, 64}, {F64, 64}, {I64, 64}, {U64, 64},
}

func (d DType) rank() int {
	for i := range dtypes {
		if dtypes[i].name == d {
			return i
		}
	}
	return -1
}

// known returns the constant that equals d, so that a file's tensors do not keep a copy each.
func known(d DType) DType {
	if i := d.rank(); i >= 0 {
		return dtypes[i].name
	}
	return d
}

// Bits returns the bits of an element, or 0 if the type is not known.
func (d DType) Bits() int {
	if i := d.rank(); i >= 0 {
		return dtypes[i].bits
	}
	return 0
}

// Type returns the ggml type whose layout is the same, so that data can be copied as it is.
func (d DType) Type() (quant.Type, bool) {
	switch d {
	case F64:
		return quant.F64, true
	case F32:
		return quant.F32, true
	case F16:
		return quant.F16, true
	case BF16:
		return quant.BF16, true
	case I64:
		return quant.I64, true
	case I32:
		return quant.I32, true
	case I16:
		return quant.I16, true
	case I8:
		return quant.I8, true
	}
	return 0, false
}

// size returns the bytes of a tensor of this shape, which are below 2^60; ok is false if it has more, or ends inside a
// byte.
func (d DType) size(shape []int) (n int64, ok bool) {
	bits := int64(d.Bits())
	for _, dim := range shape {
		if dim < 0 || int64(max(dim, 1)) > math.MaxInt64/bits {
			return 0, false
		}
		bits *= int64(max(dim, 1))
	}
	if slices.Contains(shape, 0) {
		return 0, true
	}
	return bits / 8, bits%8 == 0
}

// Decode converts the elements in src to float32, rounding F64. It does so for the float types of 8 bits and more; for
// others the error is ErrUnsupported. It panics if src does not have the size of len(dst) elements.
func (d DType) Decode(dst []float32, src []byte) error {
	switch d {
	case F64, F32, F16, BF16:
		t, _ := d.Type()
		quant.Decode(t, dst, src)
	case F8_E4M3:
		lookUp(dst, src, &e4m3)
	case F8_E5M2:
		lookUp(dst, src, &e5m2)
	case F8_E8M0:
		lookUp(dst, src, &e8m0)
	default:
		return fault.In(ErrUnsupported, "", "type %s cannot be converted to float32", quote(string(d)))
	}
	return nil
}

func lookUp(dst []float32, src []byte, table *[256]float32) {
	if len(dst) != len(src) {
		panic("safetensors: sizes of dst and src differ")
	}
	for i, b := range src {
		dst[i] = table[b]
	}
}

// The values of the 8-bit floats (Open Compute Project, "8-bit Floating Point Specification" and "Microscaling Formats").
var (
	e4m3 = floatTable(4, 3, 7, func(exp, man int) bool { return exp == 15 && man == 7 }, nil)
	e5m2 = floatTable(5, 2, 15, func(exp, man int) bool { return exp == 31 && man != 0 }, func(exp, man int) bool { return exp == 31 && man == 0 })
	e8m0 = scaleTable()
)

// floatTable lists the values of a float with a sign, exp bits of exponent and man bits of mantissa.
func floatTable(expBits, manBits, bias int, isNaN, isInf func(exp, man int) bool) (table [256]float32) {
	for b := range table {
		exp, man := b>>manBits&(1<<expBits-1), b&(1<<manBits-1)
		v := math.Ldexp(float64(man+1<<manBits), exp-bias-manBits)
		switch {
		case isNaN(exp, man):
			v = math.NaN()
		case isInf != nil && isInf(exp, man):
			v = math.Inf(1)
		case exp == 0: // subnormal
			v = math.Ldexp(float64(man), 1-bias-manBits)
		}
		if b&0x80 != 0 {
			v = math.Copysign(v, -1)
		}
		table[b] = float32(v)
	}
	return table
}

func scaleTable() (table [256]float32) {
	for b := range 255 {
		table[b] = float32(math.Ldexp(1, b-127))
	}
	table[255] = float32(math.NaN())
	return table
}
