package quant

import "math"

// F16ToF32 converts an IEEE half to a float32, exactly. A NaN keeps its sign and payload and becomes quiet, as the
// F16C instructions and ggml do it.
func F16ToF32(h uint16) float32 { return math.Float32frombits(f16Bits(h)) }

// f16Bits returns the float32 bits of a half: 1 sign, 5 exponent (bias 15) and 10 mantissa bits become 1, 8 (bias
// 127) and 23.
func f16Bits(h uint16) uint32 {
	sign := uint32(h&0x8000) << 16
	magnitude := uint32(h & 0x7fff)
	switch {
	case magnitude > 0x7c00: // NaN
		return sign | 0x7fc00000 | magnitude<<13
	case magnitude == 0x7c00: // infinity
		return sign | 0x7f800000
	case magnitude < 0x0400: // zero or subnormal: a count of 2^-24
		return sign | math.Float32bits(float32(magnitude)*0x1p-24)
	}
	return sign | (magnitude<<13 + (127-15)<<23)
}

// F32ToF16 converts a float32 to the nearest half, ties to even. What is too large becomes an infinity; a NaN stays
// one, with its sign and the upper payload bits.
func F32ToF16(f float32) uint16 {
	bits := math.Float32bits(f)
	sign := uint16(bits >> 16 & 0x8000)
	magnitude := bits & 0x7fffffff
	switch {
	case magnitude > 0x7f800000: // NaN, made quiet
		return sign | 0x7e00 | uint16(magnitude>>13&0x3ff)
	case magnitude >= 0x477ff000: // 65520 and above round past the largest half, 65504
		return sign | 0x7c00
	case magnitude < 0x38800000: // below 2^-14: a subnormal half, a count of 2^-24
		// Adding 0.5 puts the count in the low mantissa bits, rounded to nearest even by the adder.
		shifted := math.Float32frombits(magnitude) + 0.5
		return sign | uint16(math.Float32bits(shifted)-math.Float32bits(0.5))
	}
	magnitude -= (127 - 15) << 23
	magnitude += 0x0fff + magnitude>>13&1 // to nearest, ties to even; a carry into the exponent is right
	return sign | uint16(magnitude>>13)
}

// BF16ToF32 converts a bfloat16 to a float32, exactly: it is a float32's upper half.
func BF16ToF32(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// F32ToBF16 converts a float32 to the nearest bfloat16, ties to even. A NaN stays one, made quiet.
func F32ToBF16(f float32) uint16 {
	bits := math.Float32bits(f)
	if bits&0x7fffffff > 0x7f800000 {
		return uint16(bits>>16) | 0x40
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}
