package quant

import "math"

// Q8_0: signed bytes, 32 elements under one scale (8.5 bits an element).
//
//	byte  0  d       f16
//	      2  qs[32]  int8
//
//	x = d q
const (
	q8_0Size  = 32
	q8_0Quant = 2
	q8_0Bytes = q8_0Quant + q8_0Size
)

var _ [34]byte = [q8_0Bytes]byte{}

func decodeQ8_0(dst []float32, src []byte) {
	for ; len(dst) >= q8_0Size; dst, src = dst[q8_0Size:], src[q8_0Bytes:] {
		d := F16ToF32(le.Uint16(src))
		y := (*[32]float32)(dst)
		for j, q := range (*[32]byte)(src[q8_0Quant:]) {
			y[j] = d * float32(int8(q))
		}
	}
}

// encodeQ8_0 gives the bytes of ggml's reference encoder: the largest magnitude becomes 127, and values are divided
// by the scale before it is rounded to f16. Unlike there, a block with a NaN gets a NaN scale wherever the NaN stands.
func encodeQ8_0(dst []byte, src, _ []float32) {
	for ; len(src) >= q8_0Size; dst, src = dst[q8_0Bytes:], src[q8_0Size:] {
		x, qs := (*[32]float32)(src), (*[32]byte)(dst[q8_0Quant:])
		d := maxAbs(x) / 127
		le.PutUint16(dst, F32ToF16(d))
		inverse := 1 / d
		if d == 0 || math.Float32bits(inverse) >= 0x7f800000 || inverse == 0 { // all (nearly) zero, or not finite
			*qs = [32]byte{}
			continue
		}
		for j, v := range x {
			qs[j] = byte(roundAway(v * inverse))
		}
	}
}

// maxAbs returns the largest magnitude, or a NaN if there is one: without the sign bit floats order as integers do,
// with NaN above infinity.
func maxAbs(x *[32]float32) float32 {
	var most uint32
	for _, v := range x {
		most = max(most, math.Float32bits(v)&0x7fffffff)
	}
	return math.Float32frombits(most)
}

// roundAway rounds to the nearest integer, halves away from zero; the sum is exact in float64.
func roundAway(v float32) int32 {
	half := math.Float64frombits(uint64(math.Float32bits(v)>>31)<<63 | 0x3fe0000000000000) // 0.5 with v's sign
	return int32(float64(v) + half)
}
