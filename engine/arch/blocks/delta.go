package blocks

import (
	"math"
	"slices"

	"github.com/llamakit/llamakit/engine/graph"
)

// GatedDeltaNet is linear attention by the gated delta rule (Yang et al. 2024, arXiv:2412.06464, section 3.4):
//
//	qkv, z = In·h
//	q, k, v = silu(conv(qkv));  q, k of length 1, q divided by sqrt(DimK)
//	g = A softplus(Alpha·h);  β = σ(Beta·h)
//	S = exp(g)·S;  S += k ⊗ β(v - Sᵀk);  o = Sᵀq
//	Out·(act(z) ⊙ RMSNorm(o)), the norm by heads
type GatedDeltaNet struct {
	In          DeltaInput
	Alpha, Beta graph.Linear // Alpha with the bias of the step
	Conv        Conv
	Heads       graph.DeltaSpec
	DimK, DimV  int
	A           []float32 // (heads), negative
	Norm        []float32 // (DimV)
	Eps         float32
	Gate        graph.Activation
	Out         graph.Linear
}

// DeltaInput is where queries, keys and values come from, side by side, and the gate.
type DeltaInput interface {
	Project(b *graph.Builder, h *graph.Tensor) (qkv, z *graph.Tensor)
}

// DeltaParts are two matrices.
type DeltaParts struct{ QKV, Z graph.Linear }

// Project records the products.
func (p *DeltaParts) Project(b *graph.Builder, h *graph.Tensor) (qkv, z *graph.Tensor) {
	return b.Linear(h, p.QKV), b.Linear(h, p.Z)
}

// DeltaGroups is one matrix with the rows of q, k, v and z for one key head after another, as checkpoints of Qwen3-Next have them.
type DeltaGroups struct {
	W            graph.Linear
	Groups, DimK int
}

// Project records the product and sorts its columns.
func (p *DeltaGroups) Project(b *graph.Builder, h *graph.Tensor) (qkv, z *graph.Tensor) {
	all := b.Linear(h, p.W)
	width, from := all.Width/p.Groups, 0
	next := func(n int) *graph.Tensor {
		from += n
		return b.Slice(all, width, from-n, n)
	}
	q, k := next(p.DimK), next(p.DimK)
	v, z := next(width/2-p.DimK), next(width/2-p.DimK)
	qk := b.Join(q, k, 1, k.Width)
	return b.Join(qk, v, 1, v.Width), z
}

// Apply records the layer.
func (d *GatedDeltaNet) Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor {
	qkv, z := d.In.Project(b, h)
	alpha, beta := b.Linear(h, d.Alpha), b.Linear(h, d.Beta)
	g := b.ScaleColumns(b.Activate(alpha, graph.Softplus), d.A)
	qkv = b.Activate(d.Conv.Apply(b, qkv), graph.SiLU)
	keys, values := d.Heads.KeyHeads*d.DimK, d.Heads.Heads*d.DimV
	q := Unit(b, b.View(qkv, 0, keys), d.DimK, d.Eps, 1/math.Sqrt(float64(d.DimK)))
	k := Unit(b, b.View(qkv, keys, keys), d.DimK, d.Eps, 1)
	v := b.View(qkv, 2*keys, values)
	o := b.Name(b.DeltaRule(q, k, v, g, b.Activate(beta, graph.Sigmoid), d.Heads), "attn_output")
	o = b.GLU(d.Gate, z, b.HeadNorm(o, d.Norm, d.Eps, d.DimV))
	return b.Name(b.Linear(o, d.Out), "linear_attn_out")
}

// Unit gives each head of dim columns the length by: x·by / sqrt(Σx² + eps). It is an RMSNorm with constant weights.
func Unit(b *graph.Builder, x *graph.Tensor, dim int, eps float32, by float64) *graph.Tensor {
	w := slices.Repeat([]float32{float32(by / math.Sqrt(float64(dim)))}, dim)
	return b.HeadNorm(x, w, eps/float32(dim), dim)
}

// GatedAttention is attention whose query projection has a gate for each head's output beside the head's query (Qiu et al.
// 2025, arXiv:2505.06708): rows of Q are, head by head, those of the query and those of the gate.
type GatedAttention struct {
	Attention
	Index *Indexer // chooses keys; nil: none
}

// Apply records gated attention over the normed rows h.
func (a *GatedAttention) Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor {
	qg, k, v := a.Project(b, h)
	dim := a.Spec.DimK
	q, gate := b.Slice(qg, 2*dim, 0, dim), b.Slice(qg, 2*dim, dim, dim)
	q, k = a.place(b, q, k)
	spec := a.Spec
	if a.Index != nil {
		spec.Keys = a.Index.Choose(b, h, h)
	}
	o := b.Name(b.Attention(q, k, v, spec), "kqv_out")
	return b.Name(b.Linear(b.GLU(graph.Sigmoid, gate, o), a.O), "attn_out")
}
