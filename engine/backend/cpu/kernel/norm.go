package kernel

import "math"

// RMSNorm computes dst = x / sqrt(mean(x^2) + eps) * w; a nil w multiplies by nothing. The mean of squares is taken in
// float64, so that neither long rows nor large elements cost accuracy. (Zhang and Sennrich, arXiv:1910.07467)
func RMSNorm(dst, x, w []float32, eps float32) {
	sameLength("RMSNorm", len(dst), len(x))
	if len(x) == 0 {
		return
	}
	s := inverseRoot(current.sumSquares(x)/float64(len(x)), eps)
	if w == nil {
		current.scale(dst, x, s)
		return
	}
	sameLength("RMSNorm", len(dst), len(w))
	current.mulScaled(dst, x, w, s)
}

// LayerNorm computes dst = (x - mean(x)) / sqrt(variance(x) + eps) * w + b; a nil w or b is left out. The variance is
// that of the population, taken about the mean in a second pass. (Ba et al., arXiv:1607.06450)
func LayerNorm(dst, x, w, b []float32, eps float32) {
	sameLength("LayerNorm", len(dst), len(x))
	if len(x) == 0 {
		return
	}
	mean := float32(current.sum(x) / float64(len(x)))
	s := inverseRoot(current.sumSquaresAbout(x, mean)/float64(len(x)), eps)
	current.center(dst, x, mean, s)
	if w != nil {
		Mul(dst, dst, w)
	}
	if b != nil {
		Add(dst, dst, b)
	}
}

// inverseRoot returns 1/sqrt(mean + eps), rounded once.
func inverseRoot(mean float64, eps float32) float32 {
	return float32(1 / math.Sqrt(mean+float64(eps)))
}

// centerGeneric computes dst[i] = (x[i] - mean) * s.
func centerGeneric(dst, x []float32, mean, s float32) {
	for i := range dst {
		dst[i] = (x[i] - mean) * s
	}
}

func sumGeneric(x []float32) float64 {
	var s float64
	for _, v := range x {
		s += float64(v)
	}
	return s
}

func sumSquaresGeneric(x []float32) float64 {
	var s float64
	for _, v := range x {
		s += float64(v) * float64(v)
	}
	return s
}

// sumSquaresAboutGeneric sums (x[i] - mean)^2, the difference rounded to float32.
func sumSquaresAboutGeneric(x []float32, mean float32) float64 {
	var s float64
	for _, v := range x {
		d := float64(v - mean)
		s += d * d
	}
	return s
}
