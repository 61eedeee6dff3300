package quant

// superSize is the number of elements in a superblock: all K, IQ (but IQ4_NL) and TQ types.
const superSize = 256

// Q2_K: two bits in sub-blocks of 16 with a 4-bit scale and a 4-bit minimum each (2.625 bits an element).
//
//	byte  0  scales[16]  low nibble scale, high nibble minimum of sub-block i
//	     16  qs[64]
//	     80  d           f16
//	     82  dmin        f16
//
// Each half of 128 elements takes 32 bytes of qs: bits 2k and up of byte l are element 32k+l of the half.
//
//	x = (d scale) q - dmin minimum
const (
	q2_KQuant = superSize / 16
	q2_KScale = q2_KQuant + superSize/4
	q2_KMin   = q2_KScale + 2
	q2_KBytes = q2_KMin + 2
)

var _ [84]byte = [q2_KBytes]byte{}

func decodeQ2_K(dst []float32, src []byte) {
	for ; len(dst) >= superSize; dst, src = dst[superSize:], src[q2_KBytes:] {
		d, dmin := F16ToF32(le.Uint16(src[q2_KScale:])), F16ToF32(le.Uint16(src[q2_KMin:]))
		for i, sm := range src[:superSize/16] {
			dl, ml := float32(d*float32(sm&15)), float32(dmin*float32(sm>>4))
			step := [4]float32{float32(0*dl) - ml, dl - ml, float32(2*dl) - ml, float32(3*dl) - ml}
			// Sub-block i: half i/8, bit pair i/2 of that half, even ones in the first 16 bytes.
			qs, shift := (*[16]byte)(src[q2_KQuant+i/8*32+i%2*16:]), uint(i/2%4*2)
			y := (*[16]float32)(dst[16*i:])
			for j, b := range qs {
				y[j] = step[b>>shift&3]
			}
		}
	}
}
