package quant

// Q6_K: six bits in sub-blocks of 16 with an 8-bit scale each (6.5625 bits an element).
//
//	byte   0  ql[128]     low four bits
//	     128  qh[64]      high two bits
//	     192  scales[16]  int8, of sub-block i
//	     208  d           f16
//
// Each half of 128 elements takes 64 bytes of ql and 32 of qh. Element 32k+l of the half has its low bits in byte
// 32(k%2)+l of ql, low nibble for k < 2, and its high bits in qh[l], bits 2k and up.
//
//	x = (d scale) (q - 32)
const (
	q6_KHigh   = superSize / 2
	q6_KScales = q6_KHigh + superSize/4
	q6_KScale  = q6_KScales + superSize/16
	q6_KBytes  = q6_KScale + 2
)

var _ [210]byte = [q6_KBytes]byte{}

func decodeQ6_K(dst []float32, src []byte) {
	for ; len(dst) >= superSize; dst, src = dst[superSize:], src[q6_KBytes:] {
		d := F16ToF32(le.Uint16(src[q6_KScale:]))
		for i, scale := range src[q6_KScales:q6_KScale] {
			dl := d * float32(int8(scale))
			half, k, odd := i/8, i/2%4, i%2*16 // sub-block i is elements 32k+odd.. of its half
			ql := (*[16]byte)(src[64*half+k%2*32+odd:])
			qh := (*[16]byte)(src[q6_KHigh+32*half+odd:])
			shift, high := uint(k/2*4), uint(2*k)
			y := (*[16]float32)(dst[16*i:])
			for j, b := range ql {
				y[j] = dl * float32(int32(b>>shift&15|qh[j]>>high&3<<4)-32)
			}
		}
	}
}
