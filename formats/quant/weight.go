package quant

import "math"

// Weights of the encoders' error sums. With an importance (mean square of the activation that a column is multiplied
// by) an element weighs importance sqrt(σ² + x²), so that large elements count more, but not by their square; σ² is a
// mean square of the elements around it.

// weigh writes the weights of a block. Where importance is all zero it tells nothing, and counts as all equal.
func weigh(w, x, importance []float32, sigma2 float32) {
	x, importance = x[:len(w)], importance[:len(w)]
	var total float32
	for i, v := range x {
		total += importance[i]
		w[i] = importance[i] * sqrt(sigma2+float32(v*v))
	}
	if total == 0 {
		weighEqual(w, x, sigma2)
	}
}

// weighEqual writes the weights for importance that is all equal.
func weighEqual(w, x []float32, sigma2 float32) {
	for i, v := range x[:len(w)] {
		w[i] = sqrt(sigma2 + float32(v*v))
	}
}

func weighSquares(w, x []float32) {
	for i, v := range x[:len(w)] {
		w[i] = v * v
	}
}

// weighMagnitudes writes base + |x|.
func weighMagnitudes(w, x []float32, base float32) {
	for i, v := range x[:len(w)] {
		w[i] = base + magnitude(v)
	}
}

// sumSquares returns the sum of x²; x has a multiple of four elements.
func sumSquares(x []float32) float32 {
	var a, b, c, d float32 // four sums, so that one need not wait for the other
	for ; len(x) >= 4; x = x[4:] {
		y := (*[4]float32)(x)
		a += float32(y[0] * y[0])
		b += float32(y[1] * y[1])
		c += float32(y[2] * y[2])
		d += float32(y[3] * y[3])
	}
	return a + b + c + d
}

// sum returns the sum of x; x has a multiple of four elements.
func sum(x []float32) float32 {
	var a, b, c, d float32
	for ; len(x) >= 4; x = x[4:] {
		a, b, c, d = a+x[0], b+x[1], c+x[2], d+x[3]
	}
	return a + b + c + d
}

func sqrt(v float32) float32 { return float32(math.Sqrt(float64(v))) }

func magnitude(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }
