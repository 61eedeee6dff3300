package kernel

import "github.com/llamakit/llamakit/formats/quant"

// NVFP4: weights as MXFP4's with an 8-bit float scale for each 16; layout in formats/quant. For each of the superblock's 16
// groups:
//
//	y = fma(scale, (scale of the activations) * (sum of the integer products), y)
var intNVFP4 = intType{
	typ: quant.NVFP4, superBytes: 4 * 36, act: &intActHalves, offset: 12,
	unpack: unpackNVFP4, add: addHalves, bodies: &nvfp4Bodies,
}

// unpackNVFP4 fills q and d.
func unpackNVFP4(u *intUnpacked, w []byte) {
	clear(u.q[:])
	clear(u.d[:])
	for b := 0; len(w) > 0; b, w = b+1, w[36:] {
		for g, scale := range w[:4] {
			u.d[4*b+g] = quant.HalfUE4M3(scale)
			q := u.q[64*b+16*g:][:16]
			for i, v := range w[4+8*g:][:8] {
				q[i], q[i+8] = mxfp4Integers[v&15], mxfp4Integers[v>>4]
			}
		}
	}
}

func addHalves(u *intUnpacked, rec []byte, y float32) float32 {
	for g, d := range u.d {
		dot := float32(dotInt8(u.q[16*g:][:16], rec[16*g:]))
		y = fma32(d, dot*intActHalves.scaleOf(rec, 16*g), y)
	}
	return y
}
