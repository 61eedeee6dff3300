package quant

import "math"

// MXFP4 and NVFP4: 4-bit floats (E2M1: a sign, two exponent bits, one mantissa bit) under shared scales (4.25 and
// 4.5 bits an element).
//
//	MXFP4, 32 elements                        NVFP4, 64 elements
//	byte  0  e       E8M0 scale               byte  0  d[4]    UE4M3 scale of each sub-block of 16
//	      1  qs[16]                                 4  qs[32]  eight bytes a sub-block
//
// The low nibble of byte j is element j, the high one element j+16 (MXFP4) or j+8 of the sub-block (NVFP4). NVFP4
// tensors have one more float32 scale, which is a tensor of its own.
//
//	x = scale f
//
// Formats: https://www.opencompute.org/documents/ocp-microscaling-formats-mx-v1-0-spec-final-pdf
const (
	mxfp4Size  = 32
	mxfp4Quant = 1
	mxfp4Bytes = mxfp4Quant + mxfp4Size/2

	nvfp4Size  = 64
	nvfp4Quant = nvfp4Size / 16
	nvfp4Bytes = nvfp4Quant + nvfp4Size/2
)

var (
	_ [17]byte = [mxfp4Bytes]byte{}
	_ [36]byte = [nvfp4Bytes]byte{}
)

// e2m1Doubled holds twice the value of each code, so that all are integers; the scales below are halved instead.
// ggml has +0 for code 8, minus zero in E2M1.
var e2m1Doubled = [16]float32{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}

// halfE8M0 returns half of 2^(e-127). The two smallest are subnormal. Code 255, NaN in the standard, is 2^127 in ggml.
func halfE8M0(e byte) float32 {
	if e < 2 {
		return math.Float32frombits(0x00200000 << e)
	}
	return math.Float32frombits(uint32(e-1) << 23)
}

// HalfUE4M3 returns half of a float with four exponent bits (bias 7) and three mantissa bits. The top bit is
// ignored; 0x7f, NaN in the standard, is 0 in ggml.
func HalfUE4M3(x byte) float32 {
	exponent, mantissa := x>>3&15, float32(x&7)
	switch {
	case x == 0x7f:
		return 0
	case exponent == 0:
		return mantissa * 0x1p-10
	}
	return float32(8+mantissa) * math.Float32frombits((uint32(exponent)+127-11)<<23)
}

func decodeMXFP4(dst []float32, src []byte) {
	for ; len(dst) >= mxfp4Size; dst, src = dst[mxfp4Size:], src[mxfp4Bytes:] {
		decodeNibbles((*[32]float32)(dst), (*[16]byte)(src[mxfp4Quant:]), halfE8M0(src[0]), &e2m1Doubled)
	}
}

func decodeNVFP4(dst []float32, src []byte) {
	for ; len(dst) >= nvfp4Size; dst, src = dst[nvfp4Size:], src[nvfp4Bytes:] {
		for i, scale := range src[:nvfp4Quant] {
			d := HalfUE4M3(scale)
			y := (*[16]float32)(dst[16*i:])
			for j, b := range (*[8]byte)(src[nvfp4Quant+8*i:]) {
				y[j] = d * e2m1Doubled[b&15]
				y[j+8] = d * e2m1Doubled[b>>4]
			}
		}
	}
}
