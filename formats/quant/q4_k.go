package quant

// Q4_K and Q5_K: four and five bits in sub-blocks of 32 with a 6-bit scale and a 6-bit minimum each (4.5 and 5.5
// bits an element).
//
//	byte  0  d           f16                  byte  0  d           f16
//	      2  dmin        f16                        2  dmin        f16
//	      4  scales[12]  see scaleMin               4  scales[12]
//	     16  qs[128]                               16  qh[32]
//	                                               48  qs[128]
//
// Each 32 bytes of qs are two sub-blocks: the low nibbles 2k, the high ones 2k+1. Bit i of qh[j] is the fifth bit of
// element j of sub-block i.
//
//	x = (d scale) q - dmin minimum
const (
	qKMin      = 2
	qKScales   = 4
	q4_KQuant  = qKScales + 12
	q4_KBytes  = q4_KQuant + superSize/2
	q5_KHigh   = qKScales + 12
	q5_KQuant  = q5_KHigh + superSize/8
	q5_KBytes  = q5_KQuant + superSize/2
	kSubBlocks = superSize / 32
)

var (
	_ [144]byte = [q4_KBytes]byte{}
	_ [176]byte = [q5_KBytes]byte{}
)

// scaleMin unpacks the scale and minimum of sub-block i. The first four are the low six bits of bytes i and i+4; the
// others have their low nibbles in byte i+4 and borrow the top two bits of bytes i-4 and i.
func scaleMin(packed *[12]byte, i int) (scale, minimum float32) {
	if i < 4 {
		return float32(packed[i] & 63), float32(packed[i+4] & 63)
	}
	return float32(packed[i+4]&15 | packed[i-4]>>6<<4), float32(packed[i+4]>>4 | packed[i]>>6<<4)
}

func decodeQ4_K(dst []float32, src []byte) {
	for ; len(dst) >= superSize; dst, src = dst[superSize:], src[q4_KBytes:] {
		d, dmin := F16ToF32(le.Uint16(src)), F16ToF32(le.Uint16(src[qKMin:]))
		scales := (*[12]byte)(src[qKScales:])
		for i := range kSubBlocks {
			scale, minimum := scaleMin(scales, i)
			dl, ml := float32(d*scale), float32(dmin*minimum)
			shift := uint(i % 2 * 4)
			y := (*[32]float32)(dst[32*i:])
			for j, b := range (*[32]byte)(src[q4_KQuant+i/2*32:]) {
				y[j] = float32(dl*float32(b>>shift&15)) - ml
			}
		}
	}
}

func decodeQ5_K(dst []float32, src []byte) {
	for ; len(dst) >= superSize; dst, src = dst[superSize:], src[q5_KBytes:] {
		d, dmin := F16ToF32(le.Uint16(src)), F16ToF32(le.Uint16(src[qKMin:]))
		scales, qh := (*[12]byte)(src[qKScales:]), (*[32]byte)(src[q5_KHigh:])
		for i := range kSubBlocks {
			scale, minimum := scaleMin(scales, i)
			dl, ml := float32(d*scale), float32(dmin*minimum)
			shift, high := uint(i%2*4), uint(i)
			y := (*[32]float32)(dst[32*i:])
			for j, b := range (*[32]byte)(src[q5_KQuant+i/2*32:]) {
				y[j] = float32(dl*float32(b>>shift&15|qh[j]>>high&1<<4)) - ml
			}
		}
	}
}
