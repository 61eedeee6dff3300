package kernel

import "github.com/llamakit/llamakit/formats/quant"

// Q2_K: superblocks of 16 groups of 16 weights of 2 bits, with a 4-bit scale and min each, a float16 scale and a float16
// scale of the mins; layout in formats/quant.
//
//	dot = fma(d, sum of scale * products, -(dmin * sum of min * activations))
//
// with both sums over the 16 groups in integers.
var intQ2K = intType{
	typ: quant.Q2_K, superBytes: 84, act: &intAct16, offset: 0,
	unpack: unpackQ2K, add: scaled(&intAct16, dotQ2K), bodies: &q2kBodies,
}

// unpackQ2K fills q, scale, min, d[0] and dmin.
func unpackQ2K(u *intUnpacked, w []byte) {
	for g, b := range w[:16] {
		u.scale[g], u.min[g] = int32(b&15), int32(b>>4)
	}
	u.d[0], u.dmin = halfAt(w[80:]), halfAt(w[82:])
	twoBits(u, w[16:80])
}

// twoBits unpacks 256 weights of 2 bits: of each 32 bytes, bits 2k and up are group k of 32.
func twoBits(u *intUnpacked, b []byte) {
	for i := range u.q {
		half, k, l := i/128, i/32%4, i%32
		u.q[i] = int8(b[32*half+l] >> (2 * k) & 3)
	}
}

func dotQ2K(u *intUnpacked, acts []byte) float32 {
	var products, mins int32
	for g, s := range u.scale {
		a := acts[16*g:][:16]
		products += s * dotInt8(u.q[16*g:][:16], a)
		mins += u.min[g] * sumInt8(a)
	}
	return fma32(u.d[0], float32(products), -float32(u.dmin*float32(mins)))
}
