package kernel

// RopeNorm turns the pairs (x[2i], x[2i+1]) by the angles whose cosines and sines are given, one for each pair. Only the
// rotated part of a head is passed. (Su et al., arXiv:2104.09864)
func RopeNorm(dst, x, cos, sin []float32) {
	checkRope("RopeNorm", dst, x, cos, sin)
	current.ropeNorm(dst, x, cos, sin)
}

// RopeNeox turns the pairs (x[i], x[i+n/2]) of a row of n elements, as GPT-NeoX orders them.
func RopeNeox(dst, x, cos, sin []float32) {
	checkRope("RopeNeox", dst, x, cos, sin)
	current.ropeNeox(dst, x, cos, sin)
}

func checkRope(op string, dst, x, cos, sin []float32) {
	sameLength(op, len(dst), len(x), 2*len(cos), 2*len(sin))
}

func ropeNormGeneric(dst, x, cos, sin []float32) {
	for i, c := range cos {
		a, b, s := x[2*i], x[2*i+1], sin[i]
		dst[2*i], dst[2*i+1] = a*c-b*s, a*s+b*c
	}
}

func ropeNeoxGeneric(dst, x, cos, sin []float32) {
	h := len(cos)
	for i, c := range cos {
		a, b, s := x[i], x[i+h], sin[i]
		dst[i], dst[i+h] = a*c-b*s, a*s+b*c
	}
}
