package quant

// Q2_0: two bits, 64 elements under one scale (2.25 bits an element).
//
//	byte  0  d       f16
//	      2  qs[16]  bits 2(j%4) and up of qs[j/4] are q of element j
//
//	x = d (q - 1), so -d, 0, d, 2d
const (
	q2_0Size  = 64
	q2_0Quant = 2
	q2_0Bytes = q2_0Quant + q2_0Size/4
)

var _ [18]byte = [q2_0Bytes]byte{}

func decodeQ2_0(dst []float32, src []byte) {
	for ; len(dst) >= q2_0Size; dst, src = dst[q2_0Size:], src[q2_0Bytes:] {
		d := F16ToF32(le.Uint16(src))
		step := [4]float32{-d, 0 * d, d, 2 * d}
		for i, b := range src[q2_0Quant:q2_0Bytes] {
			y := (*[4]float32)(dst[4*i:])
			y[0], y[1], y[2], y[3] = step[b&3], step[b>>2&3], step[b>>4&3], step[b>>6]
		}
	}
}
