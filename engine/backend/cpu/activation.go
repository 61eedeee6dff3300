package cpu

import (
	"fmt"
	"math"

	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
)

// activateFunc is the row function of an activation.
func activateFunc(op *graph.Activate) func(r *run, i int) {
	f := activation(op.Act)
	return func(r *run, i int) { f(r.row(op.Dst, i), r.row(op.X, i)) }
}

// activation is the kernel of an activation.
func activation(a graph.Activation) func(dst, x []float32) {
	switch a {
	case graph.SiLU:
		return kernel.SiLU
	case graph.GELU:
		return kernel.GELU
	case graph.ReLUSqr:
		return kernel.ReLUSqr
	case graph.Sigmoid:
		return kernel.Sigmoid
	case graph.Softplus:
		return kernel.Softplus
	case graph.SignedSqrt:
		return signedSqrt
	case graph.Tanh:
		return kernel.Tanh
	}
	panic(fmt.Sprintf("cpu: no kernel for activation %d", a))
}

func gluFunc(op *graph.GLU) func(r *run, i int) {
	f := glu(op.Act, op.Limit, op.Beta)
	if op.A.Width < op.B.Width {
		f = headGate(op.Act, op.B.Width/op.A.Width)
	}
	return func(r *run, i int) { f(r.row(op.Dst, i), r.row(op.A, i), r.row(op.B, i)) }
}

// glu is the kernel of a gated activation.
func glu(a graph.Activation, limit, beta float32) func(dst, gate, up []float32) {
	switch {
	case a == graph.SiLUCut && limit > 0:
		return func(dst, gate, up []float32) { siluCutMul(dst, gate, up, limit) }
	case a == graph.SiTU:
		return func(dst, gate, up []float32) { situMul(dst, gate, up, limit, beta) }
	case a == graph.SiLU && limit > 0:
		return func(dst, gate, up []float32) { kernel.SiLUMulLimited(dst, gate, up, limit) }
	case limit > 0:
	case a == graph.SiLU, a == graph.SiLUCut:
		return kernel.SiLUMul
	case a == graph.GELU:
		return kernel.GELUMul
	case a == graph.ReLU:
		return kernel.ReLUMul
	case a == graph.Sigmoid:
		return sigmoidMul
	case a == graph.Softplus:
		return softplusMul
	case a == graph.Log2OnePlus2:
		return softplus2Mul
	case a == graph.SwiGLUOAI:
		return func(dst, gate, up []float32) { kernel.SwiGLUOAI(dst, gate, up, swiGLUOAILimit) }
	}
	panic(fmt.Sprintf("cpu: no kernel for a gate with activation %d and limit %g", a, limit))
}

// swiGLUOAILimit is fixed, as in gpt-oss and in llama.cpp.
const swiGLUOAILimit = 7

// minSqrt is the least that signedSqrt takes the root of.
const minSqrt = 1e-6

func signedSqrt(dst, x []float32) {
	for i, v := range x {
		root := math.Sqrt(max(math.Abs(float64(v)), minSqrt))
		dst[i] = float32(math.Copysign(root, float64(v)))
		if v == 0 {
			dst[i] = 0
		}
	}
}
