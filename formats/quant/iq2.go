package quant

// IQ2_XXS, IQ2_XS and IQ2_S: groups of eight magnitudes from a codebook, with signs (2.0625, 2.3125 and 2.5625 bits
// an element). A superblock has eight sub-blocks of 32, a sub-block four groups.
//
//	IQ2_XXS             IQ2_XS                       IQ2_S
//	byte  0  d    f16   byte  0  d          f16      byte  0  d           f16
//	      2  u[8] u64         2  qs[32]     u16            2  qs[32]      codebook index, low 8 bits
//	                         66  scales[8]                34  signs[32]
//	                                                      66  qh[8]       bits 2l and up: index bits 8-9 of group l
//	                                                      74  scales[8]
//
// IQ2_XXS: u is one sub-block, byte l (0-3) the index of group l; bits 32+7l and up are its sign code, and the top
// four bits the scale. IQ2_XS: the low nine bits of a qs are the index, the top seven the sign code. A scale byte
// holds two 4-bit scales, the low one for groups 0 and 1. A sign code is seven bits; the eighth sign makes the number
// of minus signs even. IQ2_S stores all eight.
//
//	x = sign (d (scale + 1/2) / 4) magnitude
const (
	iq2Quant = 2 // in all three

	iq2_XXSBytes = iq2Quant + superSize/4

	iq2_XSScales = iq2Quant + superSize/4
	iq2_XSBytes  = iq2_XSScales + superSize/32

	iq2_SSigns  = iq2Quant + superSize/8
	iq2_SHigh   = iq2_SSigns + superSize/8
	iq2_SScales = iq2_SHigh + superSize/32
	iq2_SBytes  = iq2_SScales + superSize/32
)

var (
	_ [66]byte = [iq2_XXSBytes]byte{}
	_ [74]byte = [iq2_XSBytes]byte{}
	_ [82]byte = [iq2_SBytes]byte{}
)

func decodeIQ2_XXS(dst []float32, src []byte) {
	for ; len(dst) >= superSize; dst, src = dst[superSize:], src[iq2_XXSBytes:] {
		d := F16ToF32(le.Uint16(src))
		for i := range superSize / 32 {
			index, rest := le.Uint32(src[iq2Quant+8*i:]), le.Uint32(src[iq2Quant+8*i+4:])
			dl := d * (0.5 + float32(rest>>28)) * 0.25
			for l := range 4 {
				group((*[8]float32)(dst[32*i+8*l:]), iq2xxsGrid[index>>(8*l)&255], evenSigns(rest>>(7*l)&127), dl)
			}
		}
	}
}

func decodeIQ2_XS(dst []float32, src []byte) {
	for ; len(dst) >= superSize; dst, src = dst[superSize:], src[iq2_XSBytes:] {
		d := F16ToF32(le.Uint16(src))
		for i, scale := range src[iq2_XSScales:iq2_XSBytes] {
			dl := pairScales(d, scale)
			for l := range 4 {
				q := le.Uint16(src[iq2Quant+8*i+2*l:])
				group((*[8]float32)(dst[32*i+8*l:]), iq2xsGrid[q&511], evenSigns(uint32(q>>9)), dl[l/2])
			}
		}
	}
}

func decodeIQ2_S(dst []float32, src []byte) {
	for ; len(dst) >= superSize; dst, src = dst[superSize:], src[iq2_SBytes:] {
		d := F16ToF32(le.Uint16(src))
		for i, scale := range src[iq2_SScales:iq2_SBytes] {
			dl, high := pairScales(d, scale), uint32(src[iq2_SHigh+i])
			for l := range 4 {
				index := uint32(src[iq2Quant+4*i+l]) | high>>(2*l)&3<<8
				signs := uint32(src[iq2_SSigns+4*i+l])
				group((*[8]float32)(dst[32*i+8*l:]), iq2sGrid[index], signs, dl[l/2])
			}
		}
	}
}

// pairScales returns the multipliers of a sub-block's first and second 16 elements.
func pairScales(d float32, scale byte) [2]float32 {
	return [2]float32{d * (0.5 + float32(scale&15)) * 0.25, d * (0.5 + float32(scale>>4)) * 0.25}
}
