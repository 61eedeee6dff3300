package blocks

import "github.com/llamakit/llamakit/engine/graph"

// OutputGate multiplies what attention found by a gate of the layer's normed input, before the output projection (Qiu et al.
// 2025, arXiv:2505.06708): act(W·h) ⊙ o. W has a row for each column of o, or one for each head.
type OutputGate struct {
	W   graph.Linear
	Act graph.Activation
}

// Attend is QKV.Attend with the gate between.
func (g *OutputGate) Attend(b *graph.Builder, a *QKV, h, q, k, v *graph.Tensor, s graph.AttentionSpec) *graph.Tensor {
	o := b.Name(b.Attention(q, k, v, s), "kqv_out")
	return b.Name(b.Linear(g.Apply(b, h, o), a.O), "attn_out")
}

// Apply records the gate on what attention found, o.
func (g *OutputGate) Apply(b *graph.Builder, h, o *graph.Tensor) *graph.Tensor {
	gate := b.Name(b.Linear(h, g.W), "attn_gate")
	return b.Name(b.GLU(g.Act, gate, o), "attn_gated")
}
