package cpu

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
)

// normFunc is the row function of a normalisation: segment by segment, each with its own or the shared weights.
func normFunc(op *graph.Norm) func(r *run, i int) {
	segment := normKernel(op.N)
	return func(r *run, i int) {
		dst, x := r.row(op.Dst, i), r.row(op.X, i)
		for at := 0; at < len(x); at += op.Seg {
			segment(dst[at:at+op.Seg], x[at:at+op.Seg], op.Segment(op.N.W, at), op.Segment(op.N.B, at))
		}
	}
}

func normKernel(n graph.NormWeights) func(dst, x, w, b []float32) {
	switch n.Kind {
	case graph.RMSNorm:
		return func(dst, x, w, b []float32) {
			kernel.RMSNorm(dst, x, w, n.Eps)
			if b != nil {
				kernel.Add(dst, dst, b)
			}
		}
	case graph.LayerNorm:
		return func(dst, x, w, b []float32) { kernel.LayerNorm(dst, x, w, b, n.Eps) }
	}
	panic(fmt.Sprintf("cpu: no kernel for normalisation %d", n.Kind))
}
