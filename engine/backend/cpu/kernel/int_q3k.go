package kernel

import "github.com/llamakit/llamakit/formats/quant"

// Q3_K: superblocks of 16 groups of 16 weights of 3 bits, less 4, with a 6-bit scale each, less 32, and a float16 scale;
// layout in formats/quant. dot is that of Q6_K. The panel kernels are too, so the activations are centred for 32.
var intQ3K = intType{
	typ: quant.Q3_K, superBytes: 110, act: &intAct16, offset: 32,
	unpack: unpackQ3K, add: scaled(&intAct16, dotQ6K), bodies: &q3kBodies,
}

// unpackQ3K fills q, scale and d[0].
func unpackQ3K(u *intUnpacked, w []byte) {
	third, packed := w[:32], w[96:108]
	for g := range u.scale {
		low, high := packed[g%8]>>(g/8*4)&15, packed[8+g%4]>>(g/4*2)&3
		u.scale[g] = int32(low|high<<4) - 32
	}
	u.d[0] = halfAt(w[108:])
	twoBits(u, w[32:96])
	for i := range u.q {
		u.q[i] += int8(third[i%32]>>(i/32)&1<<2) - 4
	}
}
