package kernel

import "math"

// SiLU computes dst = x * sigmoid(x).
func SiLU(dst, x []float32) {
	sameLength("SiLU", len(dst), len(x))
	current.silu(dst, x)
}

// SiLUMul computes dst = SiLU(gate) * up, the middle of a SwiGLU layer. (Shazeer, arXiv:2002.05202)
func SiLUMul(dst, gate, up []float32) {
	sameLength("SiLUMul", len(dst), len(gate), len(up))
	current.siluMul(dst, gate, up)
}

// GELU computes the tanh form, dst = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))). (Hendrycks and Gimpel,
// arXiv:1606.08415)
func GELU(dst, x []float32) {
	sameLength("GELU", len(dst), len(x))
	current.gelu(dst, x)
}

// GELUMul computes dst = GELU(gate) * up.
func GELUMul(dst, gate, up []float32) {
	sameLength("GELUMul", len(dst), len(gate), len(up))
	current.geluMul(dst, gate, up)
}

// GELUQuickMul computes dst = gate * sigmoid(1.702 gate) * up.
func GELUQuickMul(dst, gate, up []float32) {
	sameLength("GELUQuickMul", len(dst), len(gate), len(up))
	current.geluQuickMul(dst, gate, up)
}

// ReLUSqr computes dst = max(x, 0)^2; NaN stays.
func ReLUSqr(dst, x []float32) {
	sameLength("ReLUSqr", len(dst), len(x))
	current.reluSqr(dst, x)
}

// Sigmoid computes dst = 1 / (1 + exp(-x)).
func Sigmoid(dst, x []float32) {
	sameLength("Sigmoid", len(dst), len(x))
	current.sigmoid(dst, x)
}

// Softplus computes dst = log(1 + exp(x)).
func Softplus(dst, x []float32) {
	sameLength("Softplus", len(dst), len(x))
	current.softplus(dst, x)
}

// Tanh computes dst = tanh(x).
func Tanh(dst, x []float32) {
	sameLength("Tanh", len(dst), len(x))
	current.tanh(dst, x)
}

// SoftCap computes dst = limit * tanh(x / limit): values far below the limit stay, none passes it. x is multiplied by
// the rounded inverse of the limit.
func SoftCap(dst, x []float32, limit float32) {
	sameLength("SoftCap", len(dst), len(x))
	current.softCap(dst, x, limit, 1/limit)
}

// The generic bodies compute each function in float64 and round once.

const (
	geluLinear = 0.7978845608028654 // sqrt(2/pi)
	geluCubic  = 0.044715
	geluQuick  = 1.702
)

// gated returns x * sigmoid(y), the form that SiLU and both kinds of GELU share: (1 + tanh(z))/2 = sigmoid(2z), and the
// right side does not cancel for negative z. Like the formula, it is NaN at minus infinity.
func gated(x, y float64) float64 { return x / (1 + math.Exp(-y)) }

func siluOne(x float32) float64 { return gated(float64(x), float64(x)) }

func geluOne(x float32) float64 {
	v := float64(x)
	return gated(v, 2*geluLinear*v*(1+geluCubic*v*v))
}

func siluGeneric(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(siluOne(v))
	}
}

func siluMulGeneric(dst, gate, up []float32) {
	for i, v := range gate {
		dst[i] = float32(siluOne(v)) * up[i]
	}
}

func geluGeneric(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(geluOne(v))
	}
}

func geluMulGeneric(dst, gate, up []float32) {
	for i, v := range gate {
		dst[i] = float32(geluOne(v)) * up[i]
	}
}

func geluQuickMulGeneric(dst, gate, up []float32) {
	for i, v := range gate {
		dst[i] = float32(gated(float64(v), geluQuick*float64(v))) * up[i]
	}
}

func reluSqrGeneric(dst, x []float32) {
	for i, v := range x {
		if v < 0 {
			v = 0
		}
		dst[i] = v * v
	}
}

func sigmoidGeneric(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(gated(1, float64(v)))
	}
}

func softplusGeneric(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(math.Max(float64(v), 0) + math.Log1p(math.Exp(-math.Abs(float64(v)))))
	}
}

func tanhGeneric(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(math.Tanh(float64(v)))
	}
}

// softCapGeneric computes dst = limit * tanh(x * inverse).
func softCapGeneric(dst, x []float32, limit, inverse float32) {
	for i, v := range x {
		dst[i] = limit * float32(math.Tanh(float64(v*inverse)))
	}
}
