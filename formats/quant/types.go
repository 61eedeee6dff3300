package quant

import (
	"fmt"
	"math"
	"strings"
)

// Type is a tensor's data type, numbered as in GGUF files (enum ggml_type of ggml v0.27.0).
type Type uint32

// The types, named as in ggml without the prefix GGML_TYPE_. The suffix _K marks superblocks of 256 elements with
// quantised scales, IQ types index a codebook, TQ types are ternary, and FP4 types are 4-bit floats.
const (
	F32     Type = 0
	F16     Type = 1
	Q4_0    Type = 2
	Q4_1    Type = 3
	Q5_0    Type = 6
	Q5_1    Type = 7
	Q8_0    Type = 8
	Q8_1    Type = 9
	Q2_K    Type = 10
	Q3_K    Type = 11
	Q4_K    Type = 12
	Q5_K    Type = 13
	Q6_K    Type = 14
	Q8_K    Type = 15
	IQ2_XXS Type = 16
	IQ2_XS  Type = 17
	IQ3_XXS Type = 18
	IQ1_S   Type = 19
	IQ4_NL  Type = 20
	IQ3_S   Type = 21
	IQ2_S   Type = 22
	IQ4_XS  Type = 23
	I8      Type = 24
	I16     Type = 25
	I32     Type = 26
	I64     Type = 27
	F64     Type = 28
	IQ1_M   Type = 29
	BF16    Type = 30
	TQ1_0   Type = 34
	TQ2_0   Type = 35
	MXFP4   Type = 39
	NVFP4   Type = 40
	Q1_0    Type = 41
	Q2_0    Type = 42
)

// kind is one row of the type table: what a block is and how it is read and written.
type kind struct {
	name   string // as ggml prints it; empty for a number that is not in use
	block  int    // elements per block
	bytes  int    // bytes per block
	decode func(dst []float32, src []byte)
	encode func(dst []byte, src, importance []float32) // whole blocks; nil: cannot be written
}

// kinds is indexed by Type.
var kinds = [...]kind{
	F32:     {"f32", 1, 4, decodeF32, encodeF32},
	F16:     {"f16", 1, 2, decodeF16, encodeF16},
	BF16:    {"bf16", 1, 2, decodeBF16, encodeBF16},
	F64:     {"f64", 1, 8, decodeF64, nil},
	I8:      {"i8", 1, 1, decodeI8, nil},
	I16:     {"i16", 1, 2, decodeI16, nil},
	I32:     {"i32", 1, 4, decodeI32, nil},
	I64:     {"i64", 1, 8, decodeI64, nil},
	Q1_0:    {"q1_0", 128, 18, decodeQ1_0, encodeQ1_0},
	Q2_0:    {"q2_0", 64, 18, decodeQ2_0, encodeQ2_0},
	Q4_0:    {"q4_0", 32, 18, decodeQ4_0, encodeQ4_0},
	Q4_1:    {"q4_1", 32, 20, decodeQ4_1, encodeQ4_1},
	Q5_0:    {"q5_0", 32, 22, decodeQ5_0, encodeQ5_0},
	Q5_1:    {"q5_1", 32, 24, decodeQ5_1, encodeQ5_1},
	Q8_0:    {"q8_0", 32, 34, decodeQ8_0, encodeQ8_0},
	Q8_1:    {"q8_1", 32, 36, decodeQ8_1, nil},
	Q2_K:    {"q2_K", 256, 84, decodeQ2_K, encodeQ2_K},
	Q3_K:    {"q3_K", 256, 110, decodeQ3_K, encodeQ3_K},
	Q4_K:    {"q4_K", 256, 144, decodeQ4_K, encodeQ4_K},
	Q5_K:    {"q5_K", 256, 176, decodeQ5_K, encodeQ5_K},
	Q6_K:    {"q6_K", 256, 210, decodeQ6_K, encodeQ6_K},
	Q8_K:    {"q8_K", 256, 292, decodeQ8_K, nil},
	IQ1_S:   {"iq1_s", 256, 50, decodeIQ1_S, encodeIQ1_S},
	IQ1_M:   {"iq1_m", 256, 56, decodeIQ1_M, encodeIQ1_M},
	IQ2_XXS: {"iq2_xxs", 256, 66, decodeIQ2_XXS, encodeIQ2_XXS},
	IQ2_XS:  {"iq2_xs", 256, 74, decodeIQ2_XS, encodeIQ2_XS},
	IQ2_S:   {"iq2_s", 256, 82, decodeIQ2_S, encodeIQ2_S},
	IQ3_XXS: {"iq3_xxs", 256, 98, decodeIQ3_XXS, encodeIQ3_XXS},
	IQ3_S:   {"iq3_s", 256, 110, decodeIQ3_S, encodeIQ3_S},
	IQ4_NL:  {"iq4_nl", 32, 18, decodeIQ4_NL, encodeIQ4_NL},
	IQ4_XS:  {"iq4_xs", 256, 136, decodeIQ4_XS, encodeIQ4_XS},
	TQ1_0:   {"tq1_0", 256, 54, decodeTQ1_0, encodeTQ1_0},
	TQ2_0:   {"tq2_0", 256, 66, decodeTQ2_0, encodeTQ2_0},
	MXFP4:   {"mxfp4", 32, 17, decodeMXFP4, encodeMXFP4},
	NVFP4:   {"nvfp4", 64, 36, decodeNVFP4, encodeNVFP4},
}

// removed names the type numbers that ggml once used and no longer reads.
var removed = map[Type]string{
	4: "q4_2", 5: "q4_3",
	31: "q4_0_4_4", 32: "q4_0_4_8", 33: "q4_0_8_8",
	36: "iq4_nl_4_4", 37: "iq4_nl_4_8", 38: "iq4_nl_8_8",
}

// Valid reports whether t is a type of ggml v0.27.0.
func (t Type) Valid() bool { return int(t) < len(kinds) && kinds[t].name != "" }

// Removed reports whether t is a number that older versions of ggml used and that no reader supports any more.
// String gives its old name.
func (t Type) Removed() bool { return removed[t] != "" }

// String returns ggml's name of the type: "f32", "q4_K", "iq2_xxs".
func (t Type) String() string {
	switch {
	case t.Valid():
		return kinds[t].name
	case t.Removed():
		return removed[t]
	}
	return fmt.Sprintf("type(%d)", uint32(t))
}

// Types returns all valid types in the order of their numbers.
func Types() []Type {
	all := make([]Type, 0, len(kinds))
	for t := range Type(len(kinds)) {
		if t.Valid() {
			all = append(all, t)
		}
	}
	return all
}

// ParseType finds a type by ggml's name of it, in any case: "q4_K", "Q4_K", "IQ2_XXS".
func ParseType(name string) (Type, error) {
	for _, t := range Types() {
		if strings.EqualFold(kinds[t].name, name) {
			return t, nil
		}
	}
	for t, old := range removed {
		if strings.EqualFold(old, name) {
			return t, fmt.Errorf("quant: type %q (%d) was removed from ggml; use another type", name, uint32(t))
		}
	}
	return 0, fmt.Errorf("quant: %q is not a tensor type; f16, q8_0 and q4_K are examples", name)
}

// BlockSize returns the number of elements in a block, 1 for plain numbers. It panics if t is not valid.
func (t Type) BlockSize() int { return t.kind().block }

// BlockBytes returns the number of bytes in a block. It panics if t is not valid.
func (t Type) BlockBytes() int { return t.kind().bytes }

// RowBytes returns the number of bytes that n elements take. It panics if t is not valid, n is not a multiple of
// BlockSize, or the result overflows: a reader of files checks first.
func (t Type) RowBytes(n int) int {
	k := t.kind()
	if n < 0 || n%k.block != 0 {
		panic(fmt.Sprintf("quant: %d elements of %s are not whole blocks of %d", n, k.name, k.block))
	}
	if n/k.block > math.MaxInt/k.bytes {
		panic(fmt.Sprintf("quant: the bytes of %d elements of %s overflow an int", n, k.name))
	}
	return n / k.block * k.bytes
}

// kind returns the type's row of the table, for types that the caller has checked.
func (t Type) kind() *kind {
	if !t.Valid() {
		panic(fmt.Sprintf("quant: %s (%d) is not a type", t, uint32(t)))
	}
	return &kinds[t]
}
