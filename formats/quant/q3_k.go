package quant

// Q3_K: three bits in sub-blocks of 16 with a 6-bit scale each (3.4375 bits an element).
//
//	byte  0  hmask[32]   bit 4h+k of byte l is the third bit of element 128h+32k+l
//	     32  qs[64]      the low two bits, in the order of Q2_K
//	     96  scales[12]  6-bit scales, see scalesQ3_K
//	    108  d           f16
//
//	x = (d (scale - 32)) (q - 4)
const (
	q3_KQuant  = superSize / 8
	q3_KScales = q3_KQuant + superSize/4
	q3_KScale  = q3_KScales + 12
	q3_KBytes  = q3_KScale + 2
)

var _ [110]byte = [q3_KBytes]byte{}

// scalesQ3_K unpacks sixteen 6-bit scales: nibbles of the first eight bytes are the low parts (low nibbles 0-7, high
// nibbles 8-15), and bits 2k and up of byte 8+i are the high part of scale 4k+i.
func scalesQ3_K(packed *[12]byte) (scales [16]float32) {
	for i := range scales {
		low := packed[i%8] >> (i / 8 * 4) & 15
		high := packed[8+i%4] >> (i / 4 * 2) & 3
		scales[i] = float32(int(low|high<<4) - 32)
	}
	return scales
}

func decodeQ3_K(dst []float32, src []byte) {
	for ; len(dst) >= superSize; dst, src = dst[superSize:], src[q3_KBytes:] {
		d := F16ToF32(le.Uint16(src[q3_KScale:]))
		for i, scale := range scalesQ3_K((*[12]byte)(src[q3_KScales:])) {
			dl := float32(d * scale)
			step := [8]float32{-4 * dl, -3 * dl, -2 * dl, -dl, 0 * dl, dl, 2 * dl, 3 * dl}
			qs, hmask := (*[16]byte)(src[q3_KQuant+i/8*32+i%2*16:]), (*[16]byte)(src[i%2*16:])
			shift, high := uint(i/2%4*2), uint(i/2)
			y := (*[16]float32)(dst[16*i:])
			for j, b := range qs {
				y[j] = step[b>>shift&3|hmask[j]>>high&1<<2]
			}
		}
	}
}
