package quant

// IQ3_XXS and IQ3_S: groups of four magnitudes from a codebook, with signs (3.0625 and 3.4375 bits an element). A
// superblock has eight sub-blocks of 32, a sub-block four pairs of groups.
//
//	IQ3_XXS                                   IQ3_S
//	byte  0  d       f16                      byte  0  d          f16
//	      2  qs[64]  codebook index                 2  qs[64]     codebook index, low 8 bits
//	     66  u[8]    u32                           66  qh[8]      bit k: index bit 8 of group k of the sub-block
//	                                               74  signs[32]  one bit an element
//	                                              106  scales[4]  nibble i is the scale of sub-block i
//
// IQ3_XXS: u is one sub-block's sign codes, seven bits a pair from the lowest up (see evenSigns), and in the top four
// bits its scale.
//
//	IQ3_XXS: x = sign (d (scale + 1/2) / 2) magnitude
//	IQ3_S:   x = sign (d (1 + 2 scale)) magnitude
const (
	iq3Quant = 2 // in both

	iq3_XXSSigns = iq3Quant + superSize/4
	iq3_XXSBytes = iq3_XXSSigns + superSize/8

	iq3_SHigh   = iq3Quant + superSize/4
	iq3_SSigns  = iq3_SHigh + superSize/32
	iq3_SScales = iq3_SSigns + superSize/8
	iq3_SBytes  = iq3_SScales + superSize/64
)

var (
	_ [98]byte  = [iq3_XXSBytes]byte{}
	_ [110]byte = [iq3_SBytes]byte{}
)

func decodeIQ3_XXS(dst []float32, src []byte) {
	for ; len(dst) >= superSize; dst, src = dst[superSize:], src[iq3_XXSBytes:] {
		d := F16ToF32(le.Uint16(src))
		for i := range superSize / 32 {
			u := le.Uint32(src[iq3_XXSSigns+4*i:])
			dl := d * (0.5 + float32(u>>28)) * 0.5
			for l := range 4 {
				q := le.Uint16(src[iq3Quant+8*i+2*l:])
				magnitudes := iq3xxsGrid[q&255] | iq3xxsGrid[q>>8]<<32
				group((*[8]float32)(dst[32*i+8*l:]), magnitudes, evenSigns(u>>(7*l)&127), dl)
			}
		}
	}
}

func decodeIQ3_S(dst []float32, src []byte) {
	for ; len(dst) >= superSize; dst, src = dst[superSize:], src[iq3_SBytes:] {
		d := F16ToF32(le.Uint16(src))
		for i := range superSize / 32 {
			scale := src[iq3_SScales+i/2] >> (i % 2 * 4) & 15
			dl := d * float32(1+2*int32(scale))
			high := uint32(src[iq3_SHigh+i])
			for l := range 4 {
				q := uint32(le.Uint16(src[iq3Quant+8*i+2*l:]))
				first, second := q&255|high>>(2*l)&1<<8, q>>8|high>>(2*l+1)&1<<8
				magnitudes := iq3sGrid[first] | iq3sGrid[second]<<32
				group((*[8]float32)(dst[32*i+8*l:]), magnitudes, uint32(src[iq3_SSigns+4*i+l]), dl)
			}
		}
	}
}
