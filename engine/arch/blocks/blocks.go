// Package blocks holds the parts of a layer that several architectures share and the literature has a name for.
// Each is a set of weights with one method that records its ops.
package blocks

import "github.com/llamakit/llamakit/engine/graph"

// QKV are the three input projections of attention and the output projection.
type QKV struct {
	Q, K, V, O graph.Linear
	Clamp      float32 // bound of queries, keys and values (clip_qkv of MPT, DBRX and OLMo); 0: none
}

// Project returns the rows of queries, keys and values: (NHead·HeadDim), (NHeadKV·HeadDim), (NHeadKV·HeadDimV) wide.
func (a *QKV) Project(b *graph.Builder, x *graph.Tensor) (q, k, v *graph.Tensor) {
	q, k, v = b.Linear(x, a.Q), b.Linear(x, a.K), b.Linear(x, a.V)
	if a.Clamp > 0 {
		q, k, v = b.Clamp(q, a.Clamp), b.Clamp(k, a.Clamp), b.Clamp(v, a.Clamp)
	}
	return b.Name(q, "Qcur"), b.Name(k, "Kcur"), b.Name(v, "Vcur")
}

// Attend attends and projects the result back to the residual stream.
func (a *QKV) Attend(b *graph.Builder, q, k, v *graph.Tensor, s graph.AttentionSpec) *graph.Tensor {
	o := b.Name(b.Attention(q, k, v, s), "kqv_out")
	return b.Name(b.Linear(o, a.O), "attn_out")
}

// GLU is a gated feed-forward block: down·(act(gate·x) ⊙ up·x). With SiLU it is SwiGLU, with GELU GeGLU
// (Shazeer 2020, arXiv:2002.05202).
type GLU struct {
	Gate, Up, Down graph.Linear
	Act            graph.Activation
	Limit, Beta    float32 // see graph.GLU
}

// Apply records the block.
func (f *GLU) Apply(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
	gate := b.Name(b.Linear(x, f.Gate), "ffn_gate")
	up := b.Name(b.Linear(x, f.Up), "ffn_up")
	return b.Name(b.Linear(b.BoundedGLU(f.Act, f.Limit, f.Beta, gate, up), f.Down), "ffn_out")
}

// FFN is what a layer has after attention: a GLU or a MoE.
type FFN interface {
	Apply(b *graph.Builder, x *graph.Tensor) *graph.Tensor
}
