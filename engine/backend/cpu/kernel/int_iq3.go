package kernel

import (
	"encoding/binary"

	"github.com/llamakit/llamakit/formats/quant"
)

// IQ3_XXS and IQ3_S: int_grid.go.
var (
	intIQ3XXS = intType{
		typ: quant.IQ3_XXS, superBytes: 98, act: &intAct32, offset: 128,
		unpack: unpackIQ3XXS, add: scaled(&intAct32, dotIQ4XS), bodies: &iq3xxsBodies,
	}
	intIQ3S = intType{
		typ: quant.IQ3_S, superBytes: 110, act: &intAct32, offset: 128,
		unpack: unpackIQ3S, add: scaled(&intAct32, dotIQ4XS), bodies: &iq3sBodies,
	}
)

// unpackIQ3XXS fills q, scale and d[0].
func unpackIQ3XXS(u *intUnpacked, w []byte) {
	u.d[0] = halfAt(w) / 4
	for g := range 8 {
		codes := binary.LittleEndian.Uint32(w[66+4*g:])
		u.scale[g] = int32(2*(codes>>28) + 1)
		for l, index := range w[2+8*g:][:8] {
			signs := evenSigns(codes>>(l/2*7)) >> (l % 2 * 4)
			magnitudes(u.q[32*g+4*l:][:4], uint64(iq3xxsTable[index]), signs)
		}
	}
}

// unpackIQ3S fills q, scale and d[0].
func unpackIQ3S(u *intUnpacked, w []byte) {
	u.d[0] = halfAt(w)
	for g := range 8 {
		u.scale[g] = 2*int32(w[106+g/2]>>(g%2*4)&15) + 1
		for l, index := range w[2+8*g:][:8] {
			high := int(w[66+g]>>l&1) << 8
			signs := w[74+4*g+l/2] >> (l % 2 * 4)
			magnitudes(u.q[32*g+4*l:][:4], uint64(iq3sTable[int(index)|high]), signs)
		}
	}
}
