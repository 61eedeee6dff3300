package blocks

import (
	"math"

	"github.com/llamakit/llamakit/engine/graph"
)

// KDA is Kimi Delta Attention (Kimi Linear: arXiv:2510.26692, section 3), linear attention by the delta rule whose state decays in each
// channel of its keys by itself:
//
//	q, k, v = silu(conv(Q·h)), silu(conv(K·h)), silu(conv(V·h));  q, k of length 1, q divided by sqrt(Dim)
//	g = A softplus(Decay·h), or Bound σ(A Decay·h);  β = σ(Beta·h)
//	S = diag(exp(g))·S;  S += k ⊗ β(v - Sᵀk);  o = Sᵀq
//	Out·(σ(Gate·h) ⊙ RMSNorm(o)), the norm by heads
type KDA struct {
	Heads, Dim int
	Q, K, V    Convolved
	Decay      LowRank   // to a column a channel, with bias
	A          []float32 // (Heads·Dim)
	Bound      float32   // of g, below 0; 0: none
	Beta       graph.Linear
	UnitEps    float32
	Gate       LowRank
	Norm       graph.NormWeights // (Dim)
	Out        graph.Linear
}

// Convolved is a projection with a short convolution and a SiLU after it.
type Convolved struct {
	Proj graph.Linear
	Conv Conv
}

// Apply records them.
func (c *Convolved) Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor {
	return b.Activate(c.Conv.Apply(b, b.Linear(h, c.Proj)), graph.SiLU)
}

// LowRank is a matrix as the product B·A; without B, A alone.
type LowRank struct{ A, B graph.Linear }

// Apply records the product.
func (l *LowRank) Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor {
	h = b.Linear(h, l.A)
	if l.B.W == nil {
		return h
	}
	return b.Linear(h, l.B)
}

// Apply records the layer.
func (d *KDA) Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor {
	q, k, v := d.Q.Apply(b, h), d.K.Apply(b, h), d.V.Apply(b, h)
	q = Unit(b, q, d.Dim, d.UnitEps, 1/math.Sqrt(float64(d.Dim)))
	k = Unit(b, k, d.Dim, d.UnitEps, 1)
	g := b.Name(d.decay(b, d.Decay.Apply(b, h)), "gate")
	beta := b.Activate(b.Linear(h, d.Beta), graph.Sigmoid)
	o := b.Name(b.DeltaRule(q, k, v, g, beta, graph.DeltaSpec{Heads: d.Heads, KeyHeads: d.Heads}), "attn_output")
	o = b.GLU(graph.Sigmoid, d.Gate.Apply(b, h), b.NormHeads(o, d.Norm, d.Dim))
	return b.Name(b.Linear(o, d.Out), "kda_out")
}

// decay is the logarithm of what each key channel keeps.
func (d *KDA) decay(b *graph.Builder, f *graph.Tensor) *graph.Tensor {
	if d.Bound == 0 {
		return b.ScaleColumns(b.Activate(f, graph.Softplus), d.A)
	}
	return b.Scale(b.Activate(b.ScaleColumns(f, d.A), graph.Sigmoid), d.Bound)
}
