package kernel

import "github.com/llamakit/llamakit/formats/quant"

// Q4_K: superblocks of 8 groups of 32 weights of 4 bits, with a 6-bit scale and min each, a float16 scale and a
// float16 scale of the mins; layout in formats/quant.
//
//	dot = fma(d, sum of scale * products, -(dmin * sum of min * activations))
//
// with both sums over the 8 groups in integers.
var intQ4K = intType{
	typ: quant.Q4_K, superBytes: 144, act: &intAct32,
	unpack: unpackQ4K, add: scaled(&intAct32, dotQ4K), bodies: &q4kBodies,
}

// unpackQ4K fills q, scale, min, d[0] and dmin.
func unpackQ4K(u *intUnpacked, w []byte) {
	unpackMins(u, w)
	for i, v := range w[16:144] {
		at := i/32*64 + i%32
		u.q[at], u.q[at+32] = int8(v&15), int8(v>>4)
	}
}

// unpackMins fills all but q.
func unpackMins(u *intUnpacked, w []byte) {
	u.d[0] = halfAt(w)
	u.dmin = halfAt(w[2:])
	packed := w[4:16]
	for g := range 4 {
		u.scale[g] = int32(packed[g] & 63)
		u.min[g] = int32(packed[g+4] & 63)
		u.scale[g+4] = int32(packed[g+8]&15 | packed[g]>>6<<4)
		u.min[g+4] = int32(packed[g+8]>>4 | packed[g+4]>>6<<4)
	}
}

func dotQ4K(u *intUnpacked, acts []byte) float32 {
	var products, mins int32
	for g := range 8 {
		a := acts[32*g:][:32]
		products += u.scale[g] * dotInt8(u.q[32*g:][:32], a)
		mins += u.min[g] * sumInt8(a)
	}
	return fma32(u.d[0], float32(products), -float32(u.dmin*float32(mins)))
}
