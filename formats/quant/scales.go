package quant

import "math"

// halfScales tells where in a block the f16 scales are. (That of IQ1_M is in pieces.)
var halfScales = map[Type][]int{
	Q1_0: {0}, Q2_0: {0}, Q4_0: {0}, Q4_1: {0, q4_1Min}, Q5_0: {0}, Q5_1: {0, q5_1Min}, Q8_0: {0}, Q8_1: {0, 2},
	Q2_K: {q2_KScale, q2_KMin}, Q3_K: {q3_KScale}, Q4_K: {0, qKMin}, Q5_K: {0, qKMin}, Q6_K: {q6_KScale},
	IQ1_S: {0}, IQ2_XXS: {0}, IQ2_XS: {0}, IQ2_S: {0}, IQ3_XXS: {0}, IQ3_S: {0}, IQ4_NL: {0}, IQ4_XS: {0},
	TQ1_0: {tq1_0Scale}, TQ2_0: {tq2_0Scale},
}

// BadScale returns the first block whose scale cannot be one: NaN, infinite, or, in the FP4 types, a code that has no
// value. blocks are whole blocks of t. Types without blocks have no scales.
func BadScale(t Type, blocks []byte) (block int, found bool) {
	size := kinds[t].bytes
	bad := badScale[t]
	for i := 0; bad != nil && i < len(blocks); i += size {
		if bad(blocks[i : i+size]) {
			return i / size, true
		}
	}
	return 0, false
}

// badScale has the tests of all types: what is encoded often, as cached keys are, makes none anew.
var badScale = func() (tests [len(kinds)]func(block []byte) bool) {
	for t := range tests {
		tests[t] = badScaleOf(Type(t))
	}
	return tests
}()

// badScaleOf returns the test of one block; nil for a type without scales.
func badScaleOf(t Type) func(block []byte) bool {
	switch t {
	case IQ1_M:
		return badScaleIQ1_M
	case Q8_K:
		return func(b []byte) bool { return math.Float32bits(maxFloat) < le.Uint32(b)&^(1<<31) }
	case MXFP4:
		return func(b []byte) bool { return b[0] == 0xff }
	case NVFP4:
		return func(b []byte) bool {
			return b[0]|b[1]|b[2]|b[3] >= 0x80 || b[0] == 0x7f || b[1] == 0x7f || b[2] == 0x7f || b[3] == 0x7f
		}
	}
	offsets := halfScales[t]
	if offsets == nil {
		return nil
	}
	return func(b []byte) bool {
		for _, at := range offsets {
			if le.Uint16(b[at:])&0x7c00 == 0x7c00 {
				return true
			}
		}
		return false
	}
}

// badScaleIQ1_M looks at the exponent, which is the top nibble of the last scale and the lowest bit of the one before.
func badScaleIQ1_M(b []byte) bool {
	scales := le.Uint64(b[iq1_MScales:])
	return scales>>60&7 == 7 && scales>>46&3 == 3
}
