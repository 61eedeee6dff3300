package kernel

import "math"

// MaxOf returns the largest element. NaNs are passed over; without any other element the result is minus infinity.
func MaxOf(x []float32) float32 { return current.maxOf(x) }

// ExpSum sets x[i] = exp(x[i] - top) and returns the sum of the results, taken in float64. An element of minus infinity
// becomes 0, also when top is minus infinity, as in a row that is masked throughout.
func ExpSum(x []float32, top float32) float32 {
	if math.IsInf(float64(top), -1) {
		clear(x)
		return 0
	}
	return float32(current.expSum(x, top))
}

// Softmax sets x[i] = exp(x[i]) / sum over j of exp(x[j]), without overflow. Elements of minus infinity become 0; a row of
// nothing else becomes all zeros.
func Softmax(x []float32) {
	if s := ExpSum(x, MaxOf(x)); s != 0 {
		current.scale(x, x, 1/s)
	}
}

func maxOfGeneric(x []float32) float32 {
	top := float32(math.Inf(-1))
	for _, v := range x {
		if v > top {
			top = v
		}
	}
	return top
}

func expSumGeneric(x []float32, top float32) float64 {
	var s float64
	for i, v := range x {
		x[i] = float32(math.Exp(float64(v - top)))
		s += float64(x[i])
	}
	return s
}
