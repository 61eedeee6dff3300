package quant

// IQ4_NL and IQ4_XS: four bits that index a table of 16 unequal steps (4.5 and 4.25 bits an element).
//
//	IQ4_NL, 32 elements                       IQ4_XS, 256 elements in sub-blocks of 32
//	byte  0  d       f16                      byte  0  d            f16
//	      2  qs[16]                                 2  scales_h     16 bits: bits 2i and up are the high part of scale i
//	                                                4  scales_l[4]  nibble i is the low part of scale i
//	                                                8  qs[128]      16 bytes a sub-block
//
// The low nibble of byte j is element j, the high one element j+16 (of the sub-block).
//
//	IQ4_NL: x = d t[q]                        IQ4_XS: x = (d (scale - 32)) t[q]
const (
	iq4_NLSize  = 32
	iq4_NLQuant = 2
	iq4_NLBytes = iq4_NLQuant + iq4_NLSize/2

	iq4_XSHigh  = 2
	iq4_XSLow   = 4
	iq4_XSQuant = iq4_XSLow + superSize/64
	iq4_XSBytes = iq4_XSQuant + superSize/2
)

var (
	_ [18]byte  = [iq4_NLBytes]byte{}
	_ [136]byte = [iq4_XSBytes]byte{}
)

// steps4 is the table t: denser near zero, as weights are.
var steps4 = [16]float32{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}

func decodeIQ4_NL(dst []float32, src []byte) {
	for ; len(dst) >= iq4_NLSize; dst, src = dst[iq4_NLSize:], src[iq4_NLBytes:] {
		d := F16ToF32(le.Uint16(src))
		decodeNibbles((*[32]float32)(dst), (*[16]byte)(src[iq4_NLQuant:]), d, &steps4)
	}
}

func decodeIQ4_XS(dst []float32, src []byte) {
	for ; len(dst) >= superSize; dst, src = dst[superSize:], src[iq4_XSBytes:] {
		d, high := F16ToF32(le.Uint16(src)), le.Uint16(src[iq4_XSHigh:])
		for i := range superSize / 32 {
			low := src[iq4_XSLow+i/2] >> (i % 2 * 4) & 15
			scale := int(low) | int(high>>(2*i)&3)<<4
			dl := d * float32(scale-32)
			decodeNibbles((*[32]float32)(dst[32*i:]), (*[16]byte)(src[iq4_XSQuant+16*i:]), dl, &steps4)
		}
	}
}
