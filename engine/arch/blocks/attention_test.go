package blocks_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

func randomVector(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(1 + r.NormFloat64())
	}
	return v
}

// rms normalises segments of dim values; w has dim values or len(x).
func rms(x []float64, w []float32, eps float64, dim int) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		sum := 0.0
		for _, v := range x[i/dim*dim : (i/dim+1)*dim] {
			sum += v * v
		}
		y[i] = x[i] / math.Sqrt(sum/float64(dim)+eps) * float64(w[i%len(w)])
	}
	return y
}

func TestQKNorm(t *testing.T) {
	const dim = 8
	r := rand.New(rand.NewPCG(3, 7))
	shared, own := randomVector(r, dim), randomVector(r, embd)
	n := blocks.QKNorm{Q: graph.NormWeights{W: shared, Eps: 0.1}, K: graph.NormWeights{W: own, Eps: 0.1}}
	whole := blocks.QKNorm{Q: n.K, K: n.K}
	x := randomRows(r, 4)
	for name, c := range map[string]struct {
		record func(b *graph.Builder, x *graph.Tensor) *graph.Tensor
		w      []float32
		dim    int
	}{
		"queries":        {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor { q, _ := n.Heads(b, x, x, dim); return q }, shared, dim},
		"keys":           {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor { _, k := n.Heads(b, x, x, dim); return k }, own, dim},
		"queries, whole": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor { q, _ := whole.Whole(b, x, x); return q }, own, embd},
		"keys, whole":    {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor { _, k := whole.Whole(b, x, x); return k }, own, embd},
	} {
		t.Run(name, func(t *testing.T) {
			for i, got := range apply(t, x, c.record) {
				near(t, got, rms(row(x, i), c.w, 0.1, c.dim))
			}
		})
	}
}

// TestOutputGate has scores of 0, so that attention is the mean of the values so far.
func TestOutputGate(t *testing.T) {
	const heads, dim = 3, 8
	r := rand.New(rand.NewPCG(4, 7))
	q, o := newRandomLinear(r, embd, heads*dim), newRandomLinear(r, heads*dim, embd)
	for name, columns := range map[string]int{"a column": heads * dim, "a head": heads} {
		t.Run(name, func(t *testing.T) {
			w := newRandomLinear(r, embd, columns)
			qkv := blocks.QKV{Q: q.Linear, K: q.Linear, V: q.Linear, O: o.Linear}
			gate := blocks.OutputGate{W: w.Linear, Act: graph.Sigmoid}
			x := randomRows(r, 6)
			got := apply(t, x, func(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
				q, k, v := qkv.Project(b, x)
				return gate.Attend(b, &qkv, x, q, k, v, graph.AttentionSpec{Heads: heads, HeadsKV: heads, DimK: dim, DimV: dim})
			})
			sum := make([]float64, heads*dim)
			for i := range got {
				g, mean := w.times(row(x, i)), make([]float64, heads*dim)
				for j, v := range q.times(row(x, i)) {
					sum[j] += v
					mean[j] = sum[j] / float64(i+1) / (1 + math.Exp(-g[j/(heads*dim/columns)]))
				}
				near(t, got[i], o.times(mean))
			}
		})
	}
}

// TestRoutedValues is a mixture of experts that are a matrix and an activation, of which all are chosen.
func TestRoutedValues(t *testing.T) {
	const experts, width = 3, 16
	r := rand.New(rand.NewPCG(5, 7))
	router, stack := newRandomLinear(r, embd, experts), newRandomLinear(r, embd, experts*width)
	stack.Linear.Bias = nil
	stack.W.Out, stack.W.Experts = width, experts
	m := blocks.MoE{Router: router.Linear, Route: graph.RouteSpec{Used: experts, Gating: graph.GateSigmoid},
		Experts: graph.ExpertsSpec{Up: stack.Linear, Act: graph.SiLU}}
	x := randomRows(r, 7)
	for i, got := range apply(t, x, m.Apply) {
		want := make([]float64, width)
		for e, logit := range router.times(row(x, i)) {
			for j := range want {
				v := 0.0
				for k, h := range row(x, i) {
					v += h * float64(stack.w[(e*width+j)*embd+k])
				}
				want[j] += v / (1 + math.Exp(-v)) / (1 + math.Exp(-logit))
			}
		}
		near(t, got, want)
	}
}
