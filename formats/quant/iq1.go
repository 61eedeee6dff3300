package quant

// IQ1_S and IQ1_M: groups of eight ternary numbers from a codebook, all shifted by an eighth up or down (1.5625 and
// 1.75 bits an element). A superblock has eight sub-blocks of 32, a sub-block four groups.
//
//	IQ1_S                                     IQ1_M
//	byte  0  d       f16                      byte  0  qs[32]     codebook index, low 8 bits
//	      2  qs[32]  codebook index,               32  qh[16]     a nibble a group: index bits 8-10, then the shift
//	                 low 8 bits                    48  scales[4]  u16: four 3-bit scales, then 4 bits of d
//	     34  qh[8]   u16, see below
//
// IQ1_S: bits 3l and up of qh[i] are index bits 8-10 of group l of sub-block i, bits 12-14 the scale, bit 15 the
// shift (set: down). IQ1_M: bits 6(i%2) and up of scales[i/2] are the scale of groups 0 and 1 of sub-block i, the
// three bits above that of groups 2 and 3; the top four bits of the four scales, from the first up, make d (f16).
//
//	x = (d (1 + 2 scale)) (t ± 1/8)
const (
	iq1_SQuant = 2
	iq1_SHigh  = iq1_SQuant + superSize/8
	iq1_SBytes = iq1_SHigh + superSize/16

	iq1_MHigh   = superSize / 8
	iq1_MScales = iq1_MHigh + superSize/16
	iq1_MBytes  = iq1_MScales + superSize/32
)

var (
	_ [50]byte = [iq1_SBytes]byte{}
	_ [56]byte = [iq1_MBytes]byte{}
)

// shifts1 holds the shift for its bit.
var shifts1 = [2]float32{0.125, -0.125}

func decodeIQ1_S(dst []float32, src []byte) {
	for ; len(dst) >= superSize; dst, src = dst[superSize:], src[iq1_SBytes:] {
		d := F16ToF32(le.Uint16(src))
		for i := range superSize / 32 {
			high := uint32(le.Uint16(src[iq1_SHigh+2*i:]))
			dl := d * float32(int32(2*(high>>12&7)+1))
			for l := range 4 {
				index := uint32(src[iq1_SQuant+4*i+l]) | high>>(3*l)&7<<8
				ternary((*[8]float32)(dst[32*i+8*l:]), iq1Grid[index], shifts1[high>>15], dl)
			}
		}
	}
}

func decodeIQ1_M(dst []float32, src []byte) {
	for ; len(dst) >= superSize; dst, src = dst[superSize:], src[iq1_MBytes:] {
		scales, d := le.Uint64(src[iq1_MScales:]), scaleIQ1_M(src)
		for g := range superSize / 8 { // g is the group, g/2 the scale: four to each u16
			high := uint32(src[iq1_MHigh+g/2]) >> (g % 2 * 4) & 15
			index := uint32(src[g]) | high&7<<8
			scale := uint32(scales>>(g/8*16+g/2%4*3)) & 7
			dl := d * float32(int32(2*scale+1))
			ternary((*[8]float32)(dst[8*g:]), iq1Grid[index], shifts1[high>>3], dl)
		}
	}
}

// ternary writes d times a codebook entry's eight numbers (2-bit digits 0, 1, 2 for -1, 0, 1) plus the shift.
func ternary(y *[8]float32, digits uint16, shift, d float32) {
	value := [4]float32{d * (-1 + shift), d * (0 + shift), d * (1 + shift)}
	for j := range y {
		y[j] = value[digits>>(2*j)&3]
	}
}

// scaleIQ1_M is a half-precision number, a nibble of it at the top of each u16 of sub-block scales.
func scaleIQ1_M(block []byte) float32 {
	scales := le.Uint64(block[iq1_MScales:])
	return F16ToF32(uint16(scales>>12&0xf | scales>>24&0xf0 | scales>>36&0xf00 | scales>>48&0xf000))
}
