package cpu

import (
	"fmt"
	"math"

	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
)

// sigmoidMul computes dst = sigmoid(gate) ⊙ up. dst may be gate.
func sigmoidMul(dst, gate, up []float32) {
	kernel.Sigmoid(dst, gate)
	kernel.Mul(dst, dst, up)
}

// softplusMul computes dst = softplus(gate) ⊙ up. dst may be gate.
func softplusMul(dst, gate, up []float32) {
	kernel.Softplus(dst, gate)
	kernel.Mul(dst, dst, up)
}

// softplus2Mul computes dst = log2(1 + 2^gate) ⊙ up. dst may be gate.
func softplus2Mul(dst, gate, up []float32) {
	kernel.Scale(dst, gate, math.Ln2)
	softplusMul(dst, dst, up)
	kernel.Scale(dst, dst, 1/math.Ln2)
}

// headGate computes dst_h = act(gate_h)·up_h for heads of dim columns.
func headGate(a graph.Activation, dim int) func(dst, gate, up []float32) {
	act := pointwise(a)
	return func(dst, gate, up []float32) {
		for h, g := range gate {
			at := h * dim
			kernel.Scale(dst[at:at+dim], up[at:at+dim], float32(act(float64(g))))
		}
	}
}

// softplusLinear is where softplus becomes x itself, in float32 to the last bit.
const softplusLinear = 20

// pointwise is the function of one value.
func pointwise(a graph.Activation) func(x float64) float64 {
	switch a {
	case graph.Sigmoid:
		return func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	case graph.Softplus:
		return softplus
	case graph.Log2OnePlus2:
		return func(x float64) float64 { return softplus(x*math.Ln2) / math.Ln2 }
	}
	panic(fmt.Sprintf("cpu: no gate with activation %d", a))
}

func softplus(x float64) float64 {
	if x > softplusLinear {
		return x
	}
	return math.Log1p(math.Exp(x))
}

// siluCutMul computes dst = min(silu(gate), limit) ⊙ up, with up bounded to ±limit. dst may be gate.
func siluCutMul(dst, gate, up []float32, limit float32) {
	kernel.SiLU(dst, gate)
	for i, u := range up {
		dst[i] = min(dst[i], limit) * min(max(u, -limit), limit)
	}
}

// situBlock is how many values situMul has in scratch memory at a time.
const situBlock = 256

// situMul computes dst = beta·tanh(gate/beta)·σ(gate) ⊙ up, with limit·tanh(up/limit) for up where there is a limit. dst may be
// gate.
func situMul(dst, gate, up []float32, limit, beta float32) {
	var memory [situBlock]float32
	for from := 0; from < len(dst); from += situBlock {
		to := min(from+situBlock, len(dst))
		y, g, u, bounded := dst[from:to], gate[from:to], up[from:to], memory[:to-from]
		kernel.SoftCap(bounded, g, beta)
		kernel.Sigmoid(y, g)
		kernel.Mul(y, y, bounded)
		if limit > 0 {
			kernel.SoftCap(bounded, u, limit)
			u = bounded
		}
		kernel.Mul(y, y, u)
	}
}
