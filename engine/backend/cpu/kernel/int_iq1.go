package kernel

import (
	"encoding/binary"

	"github.com/llamakit/llamakit/formats/quant"
)

// IQ1_S and IQ1_M: int_grid.go. IQ1_S's scales are for 32 weights each, but its kernels have them for 16.
var (
	intIQ1S = intType{
		typ: quant.IQ1_S, superBytes: 50, act: &intAct16, offset: 128,
		unpack: unpackIQ1S, add: scaled(&intAct16, dotQ6K), bodies: &iq1sBodies,
	}
	intIQ1M = intType{
		typ: quant.IQ1_M, superBytes: 56, act: &intAct16, offset: 128,
		unpack: unpackIQ1M, add: scaled(&intAct16, dotQ6K), bodies: &iq1mBodies,
	}
)

// unpackIQ1S fills q, scale and d[0].
func unpackIQ1S(u *intUnpacked, w []byte) {
	u.d[0] = halfAt(w) / 8
	for g := range 8 {
		high := int(binary.LittleEndian.Uint16(w[34+2*g:]))
		s := 2*int32(high>>12&7) + 1
		u.scale[2*g], u.scale[2*g+1] = s, s
		for l, index := range w[2+4*g:][:4] {
			shifted(u.q[32*g+8*l:][:8], int(index)|high>>(3*l)&7<<8, high>>15 != 0)
		}
	}
}

// unpackIQ1M fills q, scale and d[0].
func unpackIQ1M(u *intUnpacked, w []byte) {
	scales := binary.LittleEndian.Uint64(w[48:])
	var d uint64
	for i := range 4 {
		d |= scales >> (16*i + 12) & 15 << (4 * i)
	}
	u.d[0] = quant.F16ToF32(uint16(d)) / 8
	for g := range u.scale {
		u.scale[g] = 2*int32(scales>>(g/4*16+g%4*3)&7) + 1
	}
	for l, index := range w[:32] {
		high := int(w[32+l/2]) >> (l % 2 * 4)
		shifted(u.q[8*l:][:8], int(index)|high&7<<8, high&8 != 0)
	}
}

// shifted writes an entry's 8 weights with the shift.
func shifted(q []int8, index int, down bool) {
	for j := range q {
		q[j] = int8(iq1Table[index]>>(8*j)) - 9
		if down {
			q[j] -= 2
		}
	}
}
