package quant

// Q1_0: the sign only, 128 elements under one scale (1.125 bits an element).
//
//	byte  0  d       f16
//	      2  qs[16]  bit j%8 of qs[j/8] is element j
//
//	x = d if the bit is set, else -d
const (
	q1_0Size  = 128
	q1_0Quant = 2
	q1_0Bytes = q1_0Quant + q1_0Size/8
)

var _ [18]byte = [q1_0Bytes]byte{}

func decodeQ1_0(dst []float32, src []byte) {
	for ; len(dst) >= q1_0Size; dst, src = dst[q1_0Size:], src[q1_0Bytes:] {
		d := F16ToF32(le.Uint16(src))
		sign := [2]float32{-d, d}
		for i, b := range src[q1_0Quant:q1_0Bytes] {
			y := (*[8]float32)(dst[8*i:])
			for j := range y {
				y[j] = sign[b>>j&1]
			}
		}
	}
}
