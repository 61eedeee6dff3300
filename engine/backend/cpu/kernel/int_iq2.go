package kernel

import (
	"encoding/binary"

	"github.com/llamakit/llamakit/formats/quant"
)

// IQ2_XXS, IQ2_XS and IQ2_S: int_grid.go.
var (
	intIQ2XXS = intType{
		typ: quant.IQ2_XXS, superBytes: 66, act: &intAct32, offset: 128,
		unpack: unpackIQ2XXS, add: scaled(&intAct32, dotIQ4XS), bodies: &iq2xxsBodies,
	}
	intIQ2XS = intType{
		typ: quant.IQ2_XS, superBytes: 74, act: &intAct16, offset: 128,
		unpack: unpackIQ2XS, add: scaled(&intAct16, dotQ6K), bodies: &iq2xsBodies,
	}
	intIQ2S = intType{
		typ: quant.IQ2_S, superBytes: 82, act: &intAct16, offset: 128,
		unpack: unpackIQ2S, add: scaled(&intAct16, dotQ6K), bodies: &iq2sBodies,
	}
)

// unpackIQ2XXS fills q, scale and d[0].
func unpackIQ2XXS(u *intUnpacked, w []byte) {
	u.d[0] = halfAt(w) / 8
	for g := range 8 {
		b := w[2+8*g:][:8]
		codes := binary.LittleEndian.Uint32(b[4:])
		u.scale[g] = int32(2*(codes>>28) + 1)
		for l, index := range b[:4] {
			magnitudes(u.q[32*g+8*l:][:8], iq2xxsTable[index], evenSigns(codes>>(7*l)))
		}
	}
}

// unpackIQ2XS fills q, scale and d[0].
func unpackIQ2XS(u *intUnpacked, w []byte) {
	u.d[0] = halfAt(w) / 8
	pairScales(u, w[66:74])
	for l := range 32 {
		v := binary.LittleEndian.Uint16(w[2+2*l:])
		magnitudes(u.q[8*l:][:8], iq2xsTable[v&511], evenSigns(uint32(v>>9)))
	}
}

// unpackIQ2S fills q, scale and d[0].
func unpackIQ2S(u *intUnpacked, w []byte) {
	u.d[0] = halfAt(w) / 8
	pairScales(u, w[74:82])
	for l, index := range w[2:34] {
		high := int(w[66+l/4]>>(l%4*2)&3) << 8
		magnitudes(u.q[8*l:][:8], iq2sTable[int(index)|high], w[34+l])
	}
}

// pairScales fills scale from bytes with two scales of 4 bits each.
func pairScales(u *intUnpacked, b []byte) {
	for g, v := range b {
		u.scale[2*g], u.scale[2*g+1] = 2*int32(v&15)+1, 2*int32(v>>4)+1
	}
}
