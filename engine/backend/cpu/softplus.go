package cpu

import "math"

// softplus computes dst = ln(1 + e^x).
func softplus(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(softplusOne(float64(v)))
	}
}

// softplus2 computes dst = log2(1 + 2^x).
func softplus2(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(softplusOne(float64(v)*math.Ln2) / math.Ln2)
	}
}

// softplusOne is ln(1 + e^x); above 20, as in llama.cpp, x itself, which is less than a float32's last bit away.
func softplusOne(x float64) float64 {
	if x > 20 {
		return x
	}
	return math.Log1p(math.Exp(x))
}
