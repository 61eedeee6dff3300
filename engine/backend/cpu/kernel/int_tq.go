package kernel

import "github.com/llamakit/llamakit/formats/quant"

// TQ2_0 and TQ1_0: ternary weights with one float16 scale a superblock; layouts in formats/quant.
//
//	dot = d * sum of products
var (
	intTQ20 = intType{
		typ: quant.TQ2_0, superBytes: 66, act: &intAct32, offset: 128,
		unpack: unpackTQ20, add: scaled(&intAct32, dotPlain), bodies: &tq20Bodies,
	}
	intTQ10 = intType{
		typ: quant.TQ1_0, superBytes: 54, act: &intAct32, offset: 128,
		unpack: unpackTQ10, add: scaled(&intAct32, dotPlain), bodies: &tq10Bodies,
	}
)

// unpackTQ20 fills q and d[0].
func unpackTQ20(u *intUnpacked, w []byte) {
	twoBits(u, w[:64])
	for i := range u.q {
		u.q[i]--
	}
	u.d[0] = halfAt(w[64:])
}

// unpackTQ10 fills q and d[0].
func unpackTQ10(u *intUnpacked, w []byte) {
	trits(u.q[:160], w[:32])
	trits(u.q[160:240], w[32:48])
	trits(u.q[240:], w[48:52])
	u.d[0] = halfAt(w[52:])
}

// trits unpacks digits to base 3 of fractions: all first ones, then all second ones.
func trits(q []int8, b []byte) {
	for i := range q {
		v := b[i%len(b)]
		for range i / len(b) {
			v *= 3
		}
		q[i] = int8(int(v)*3>>8) - 1
	}
}

func dotPlain(u *intUnpacked, acts []byte) float32 {
	return u.d[0] * float32(dotInt8(u.q[:], acts))
}
