package quant

import "math"

// Scale returns the scale that a block stores. In types whose sub-blocks have quantised scales of their own it is the one
// that multiplies those, and in NVFP4, which has none over its four, the largest. ok is false for types without scales.
func Scale(t Type, block []byte) (scale float32, ok bool) {
	switch t {
	case IQ1_M:
		return scaleIQ1_M(block), true
	case Q8_K:
		return math.Float32frombits(le.Uint32(block)), true
	case MXFP4:
		return 2 * halfE8M0(block[0]), true
	case NVFP4:
		return 2 * max(HalfUE4M3(block[0]), HalfUE4M3(block[1]), HalfUE4M3(block[2]), HalfUE4M3(block[3])), true
	}
	offsets := halfScales[t]
	if offsets == nil {
		return 0, false
	}
	return F16ToF32(le.Uint16(block[offsets[0]:])), true
}
