package kernel

import (
	"encoding/binary"

	"github.com/llamakit/llamakit/formats/quant"
)

// IQ4_XS: superblocks of 8 groups of 32 weights as IQ4_NL has them, with a 6-bit scale each, less 32, and a float16 scale;
// layout in formats/quant.
//
//	dot = d * sum of scale * products
//
// with the sum over the 8 groups in integers.
var intIQ4XS = intType{
	typ: quant.IQ4_XS, superBytes: 136, act: &intAct32, offset: 128,
	unpack: unpackIQ4XS, add: scaled(&intAct32, dotIQ4XS), bodies: &iq4xsBodies,
}

// unpackIQ4XS fills q, scale and d[0].
func unpackIQ4XS(u *intUnpacked, w []byte) {
	u.d[0] = halfAt(w)
	high, low := binary.LittleEndian.Uint16(w[2:]), binary.LittleEndian.Uint32(w[4:])
	for g := range 8 {
		u.scale[g] = int32(low>>(4*g)&15|uint32(high)>>(2*g)&3<<4) - 32
		nibbleWeights(u.q[32*g:][:32], w[8+16*g:], &iq4Integers)
	}
}

func dotIQ4XS(u *intUnpacked, acts []byte) float32 {
	var products int32
	for g, s := range u.scale[:8] {
		products += s * dotInt8(u.q[32*g:][:32], acts[32*g:])
	}
	return u.d[0] * float32(products)
}
