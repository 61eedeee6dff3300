package kernel

import "github.com/llamakit/llamakit/formats/quant"

// Q6_K: superblocks of 16 groups of 16 weights of 6 bits, less 32, with an int8 scale each and a float16 scale; layout in
// formats/quant.
//
//	dot = d * sum of scale * products
//
// with the sum over the 16 groups in integers.
var intQ6K = intType{
	typ: quant.Q6_K, superBytes: 210, act: &intAct16, offset: 32,
	unpack: unpackQ6K, add: scaled(&intAct16, dotQ6K), bodies: &q6kBodies,
}

// unpackQ6K fills q, scale and d[0].
func unpackQ6K(u *intUnpacked, w []byte) {
	low, high := w[:128], w[128:192]
	for g, s := range w[192:208] {
		u.scale[g] = int32(int8(s))
	}
	u.d[0] = halfAt(w[208:])
	for i := range u.q {
		half, k, l := i/128, i/32%4, i%32
		lo := low[64*half+32*(k%2)+l] >> (k / 2 * 4) & 15
		hi := high[32*half+l] >> (2 * k) & 3
		u.q[i] = int8(lo|hi<<4) - 32
	}
}

func dotQ6K(u *intUnpacked, acts []byte) float32 {
	var products int32
	for g, s := range u.scale {
		products += s * dotInt8(u.q[16*g:][:16], acts[16*g:])
	}
	return u.d[0] * float32(products)
}
