package engine

import "math"

// Normalisations of Normalize beside the p of a p-norm.
const (
	NormNone   = -1
	NormInt16  = 0 // the greatest value becomes ±32760
	NormTaxi   = 1
	NormEuclid = 2 // dot products become cosines
)

// Normalize divides v by its p-norm, (Σ|v|^p)^(1/p), or scales it as the constants say. A vector of zeros stays.
func Normalize(v []float32, p int) {
	var norm float64
	switch {
	case p < 0:
		return
	case p == NormInt16:
		for _, x := range v {
			norm = max(norm, math.Abs(float64(x)))
		}
		norm /= 32760
	case p == NormEuclid:
		for _, x := range v {
			norm += float64(x) * float64(x)
		}
		norm = math.Sqrt(norm)
	default:
		for _, x := range v {
			norm += math.Pow(math.Abs(float64(x)), float64(p))
		}
		norm = math.Pow(norm, 1/float64(p))
	}
	if norm == 0 {
		return
	}
	for i, x := range v {
		v[i] = float32(float64(x) / norm)
	}
}
