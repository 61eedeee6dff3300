package quant

// Q5_0 and Q5_1: five bits, 32 elements (5.5 and 6 bits an element).
//
//	byte  0  d       f16                      byte  0  d       f16
//	      2  qh      32 bits                        2  m       f16
//	      6  qs[16]                                 4  qh      32 bits
//	                                                8  qs[16]
//
// The low nibble of qs[j] is the low part of element j, the high nibble that of element j+16; bit j of qh is the
// fifth bit of element j.
//
//	Q5_0: x = d (q - 16)                      Q5_1: x = d q + m
const (
	q5_0Size  = 32
	q5_0High  = 2
	q5_0Quant = 6
	q5_0Bytes = q5_0Quant + q5_0Size/2

	q5_1Size  = 32
	q5_1Min   = 2
	q5_1High  = 4
	q5_1Quant = 8
	q5_1Bytes = q5_1Quant + q5_1Size/2
)

var (
	_ [22]byte = [q5_0Bytes]byte{}
	_ [24]byte = [q5_1Bytes]byte{}
)

func decodeQ5_0(dst []float32, src []byte) {
	for ; len(dst) >= q5_0Size; dst, src = dst[q5_0Size:], src[q5_0Bytes:] {
		d, qh := F16ToF32(le.Uint16(src)), le.Uint32(src[q5_0High:])
		y := (*[32]float32)(dst)
		for j, b := range (*[16]byte)(src[q5_0Quant:]) {
			lo, hi := uint32(b&15)|qh<<4&16, uint32(b>>4)|qh>>12&16
			y[j] = d * float32(int32(lo)-16)
			y[j+16] = d * float32(int32(hi)-16)
			qh >>= 1
		}
	}
}

func decodeQ5_1(dst []float32, src []byte) {
	for ; len(dst) >= q5_1Size; dst, src = dst[q5_1Size:], src[q5_1Bytes:] {
		d, m := F16ToF32(le.Uint16(src)), F16ToF32(le.Uint16(src[q5_1Min:]))
		qh := le.Uint32(src[q5_1High:])
		y := (*[32]float32)(dst)
		for j, b := range (*[16]byte)(src[q5_1Quant:]) {
			lo, hi := uint32(b&15)|qh<<4&16, uint32(b>>4)|qh>>12&16
			y[j] = float32(d*float32(int32(lo))) + m
			y[j+16] = float32(d*float32(int32(hi))) + m
			qh >>= 1
		}
	}
}
