package blocks

import "github.com/llamakit/llamakit/engine/graph"

// QKNorm are norms of queries and keys, which keep the scores of attention in bounds (Henry et al. 2020, arXiv:2010.04245;
// Dehghani et al. 2023, arXiv:2302.05442).
type QKNorm struct{ Q, K graph.NormWeights }

// Heads normalises each head of dim columns by itself. Weights have dim values that all heads share, or dim for each head.
func (n *QKNorm) Heads(b *graph.Builder, q, k *graph.Tensor, dim int) (*graph.Tensor, *graph.Tensor) {
	return b.Name(b.NormHeads(q, n.Q, dim), "Qcur_normed"), b.Name(b.NormHeads(k, n.K, dim), "Kcur_normed")
}

// Whole normalises all heads together, as OLMo 2 does (arXiv:2501.00656, section 3.1).
func (n *QKNorm) Whole(b *graph.Builder, q, k *graph.Tensor) (*graph.Tensor, *graph.Tensor) {
	return b.Name(b.Norm(q, n.Q), "Qcur_normed"), b.Name(b.Norm(k, n.K), "Kcur_normed")
}
