package quant

// Q4_0 and Q4_1: four bits, 32 elements (4.5 and 5 bits an element).
//
//	byte  0  d       f16                      byte  0  d       f16
//	      2  qs[16]                                 2  m       f16
//	                                                4  qs[16]
//
// The low nibble of qs[j] is element j, the high one element j+16.
//
//	Q4_0: x = d (q - 8)                       Q4_1: x = d q + m
const (
	q4_0Size  = 32
	q4_0Quant = 2
	q4_0Bytes = q4_0Quant + q4_0Size/2

	q4_1Size  = 32
	q4_1Min   = 2
	q4_1Quant = 4
	q4_1Bytes = q4_1Quant + q4_1Size/2
)

var (
	_ [18]byte = [q4_0Bytes]byte{}
	_ [20]byte = [q4_1Bytes]byte{}
)

// centred4 holds q - 8.
var centred4 = [16]float32{-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7}

func decodeQ4_0(dst []float32, src []byte) {
	for ; len(dst) >= q4_0Size; dst, src = dst[q4_0Size:], src[q4_0Bytes:] {
		d := F16ToF32(le.Uint16(src))
		decodeNibbles((*[32]float32)(dst), (*[16]byte)(src[q4_0Quant:]), d, &centred4)
	}
}

// decodeNibbles writes d times the table's entry of each nibble: element j from the low nibble of qs[j], element
// j+16 from the high one. Q4_0, MXFP4 and the IQ4 types share this order.
func decodeNibbles(y *[32]float32, qs *[16]byte, d float32, table *[16]float32) {
	for j, b := range qs {
		y[j] = d * table[b&15]
		y[j+16] = d * table[b>>4]
	}
}

func decodeQ4_1(dst []float32, src []byte) {
	for ; len(dst) >= q4_1Size; dst, src = dst[q4_1Size:], src[q4_1Bytes:] {
		d, m := F16ToF32(le.Uint16(src)), F16ToF32(le.Uint16(src[q4_1Min:]))
		y := (*[32]float32)(dst)
		for j, b := range (*[16]byte)(src[q4_1Quant:]) {
			y[j] = float32(d*float32(b&15)) + m
			y[j+16] = float32(d*float32(b>>4)) + m
		}
	}
}
