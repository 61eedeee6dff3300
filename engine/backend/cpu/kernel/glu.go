package kernel

// ReLUMul computes dst = max(gate, 0) * up; NaN stays.
func ReLUMul(dst, gate, up []float32) {
	sameLength("ReLUMul", len(dst), len(gate), len(up))
	current.reluMul(dst, gate, up)
}

// SiLUMulLimited computes dst = SiLU(g) * u with g = min(gate, limit) and u = up bounded to ±limit; NaN stays.
func SiLUMulLimited(dst, gate, up []float32, limit float32) {
	sameLength("SiLUMulLimited", len(dst), len(gate), len(up))
	current.siluMulLimited(dst, gate, up, limit)
}

// SwiGLUOAI computes dst = g * sigmoid(1.702 g) * (u + 1) with g = min(gate, limit) and u = up bounded to ±limit, the unit of
// gpt-oss (arXiv:2508.10925); NaN stays.
func SwiGLUOAI(dst, gate, up []float32, limit float32) {
	sameLength("SwiGLUOAI", len(dst), len(gate), len(up))
	current.swiGLUOAI(dst, gate, up, limit)
}

func reluMulGeneric(dst, gate, up []float32) {
	for i, g := range gate {
		dst[i] = max(g, 0) * up[i]
	}
}

func siluMulLimitedGeneric(dst, gate, up []float32, limit float32) {
	for i, g := range gate {
		dst[i] = float32(siluOne(min(g, limit))) * max(min(up[i], limit), -limit)
	}
}

func swiGLUOAIGeneric(dst, gate, up []float32, limit float32) {
	for i, g := range gate {
		v := float64(min(g, limit))
		dst[i] = float32(gated(v, geluQuick*v)) * (max(min(up[i], limit), -limit) + 1)
	}
}
