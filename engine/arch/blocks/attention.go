package blocks

import "github.com/llamakit/llamakit/engine/graph"

// Attention is grouped-query attention as a whole (Ainslie et al. 2023, arXiv:2305.13245): projections, norms of the heads of
// queries and keys, rotary embedding, and the projection back.
type Attention struct {
	QKV
	QK   *QKNorm // nil: none
	Spec graph.AttentionSpec
	Rope *graph.RopeSpec // nil: none
}

// Apply records attention over the normed rows h.
func (a *Attention) Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor {
	q, k, v := a.Project(b, h)
	q, k = a.place(b, q, k)
	return a.Attend(b, q, k, v, a.Spec)
}

// place norms queries and keys and gives them their positions.
func (a *Attention) place(b *graph.Builder, q, k *graph.Tensor) (*graph.Tensor, *graph.Tensor) {
	if a.QK != nil {
		q, k = a.QK.Heads(b, q, k, a.Spec.DimK)
	}
	if a.Rope != nil {
		q, k = b.RoPE(q, a.Spec.DimK, a.Rope), b.RoPE(k, a.Spec.DimK, a.Rope)
	}
	return q, k
}

// Sum are two mixers of the same input side by side, as in Hymba (Dong et al. 2024, arXiv:2411.13676).
type Sum struct{ A, B FFN }

// Apply records both.
func (s *Sum) Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor {
	first := s.A.Apply(b, h)
	return b.Add(first, s.B.Apply(b, h))
}
