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
		return softplus
	}
	panic(fmt.Sprintf("cpu: no kernel for activation %d", a))
}

func gluFunc(op *graph.GLU) func(r *run, i int) {
	f := glu(op.Act)
	return func(r *run, i int) { f(r.row(op.Dst, i), r.row(op.A, i), r.row(op.B, i)) }
}

// glu is the kernel of a gated activation.
func glu(a graph.Activation) func(dst, gate, up []float32) {
	switch a {
	case graph.SiLU:
		return kernel.SiLUMul
	case graph.GELU:
		return kernel.GELUMul
	}
	panic(fmt.Sprintf("cpu: no kernel for a gate with activation %d", a))
}

// softplus computes dst = log(1 + exp(x)).
func softplus(dst, x []float32) {
	for i, v := range x {
		if v > 20 {
			dst[i] = v
		} else {
			dst[i] = float32(math.Log1p(math.Exp(float64(v))))
		}
	}
}
