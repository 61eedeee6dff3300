package kernel

import "github.com/llamakit/llamakit/formats/quant"

// Q5_K: Q4_K with a fifth bit for each weight; layout in formats/quant. dot is that of Q4_K.
var intQ5K = intType{
	typ: quant.Q5_K, superBytes: 176, act: &intAct32,
	unpack: unpackQ5K, add: scaled(&intAct32, dotQ4K), bodies: &q5kBodies,
}

// unpackQ5K fills q, scale, min, d[0] and dmin.
func unpackQ5K(u *intUnpacked, w []byte) {
	unpackMins(u, w)
	fifth := w[16:48]
	for i, v := range w[48:176] {
		g, l := i/32*2, i%32
		u.q[32*g+l] = int8(v&15 | fifth[l]>>g&1<<4)
		u.q[32*g+32+l] = int8(v>>4 | fifth[l]>>(g+1)&1<<4)
	}
}
