package quant

import "math"

// Q8_1 and Q8_K: what llama.cpp makes of activations before a dot product. Files may hold them, models do not.
//
//	Q8_1, 32 elements                         Q8_K, 256 elements
//	byte  0  d       f16                      byte    0  d          f32
//	      2  s       f16, d times sum of qs           4  qs[256]    int8
//	      4  qs[32]  int8                           260  bsums[16]  int16, sums of 16 qs
//
//	x = d q; the sums only save work in dot products
const (
	q8_1Size  = 32
	q8_1Quant = 4
	q8_1Bytes = q8_1Quant + q8_1Size

	q8_KQuant = 4
	q8_KBytes = q8_KQuant + superSize + superSize/16*2
)

var (
	_ [36]byte  = [q8_1Bytes]byte{}
	_ [292]byte = [q8_KBytes]byte{}
)

func decodeQ8_1(dst []float32, src []byte) {
	for ; len(dst) >= q8_1Size; dst, src = dst[q8_1Size:], src[q8_1Bytes:] {
		d := F16ToF32(le.Uint16(src))
		y := (*[32]float32)(dst)
		for j, q := range (*[32]byte)(src[q8_1Quant:]) {
			y[j] = d * float32(int8(q))
		}
	}
}

func decodeQ8_K(dst []float32, src []byte) {
	for ; len(dst) >= superSize; dst, src = dst[superSize:], src[q8_KBytes:] {
		d := math.Float32frombits(le.Uint32(src))
		y := (*[superSize]float32)(dst)
		for j, q := range (*[superSize]byte)(src[q8_KQuant:]) {
			y[j] = d * float32(int8(q))
		}
	}
}
