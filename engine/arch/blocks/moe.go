package blocks

import "github.com/llamakit/llamakit/engine/graph"

// MoE is a mixture of gated feed-forward experts behind a router: Σ w_e·expert_e(x) over the experts that Route chooses by
// the logits Router·x (Shazeer et al. 2017, arXiv:1701.06538; Jiang et al. 2024, arXiv:2401.04088).
type MoE struct {
	Router  graph.Linear
	Route   graph.RouteSpec
	Experts graph.ExpertsSpec
}

// Apply records the block.
func (m *MoE) Apply(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
	return m.Mix(b, x, m.Choose(b, x))
}

// Choose records the router: the chosen experts and their weights.
func (m *MoE) Choose(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
	logits := b.Name(b.Linear(x, m.Router), "ffn_moe_logits")
	return b.Name(b.Route(logits, m.Route), "ffn_moe_topk")
}

// Mix records the experts.
func (m *MoE) Mix(b *graph.Builder, x, routing *graph.Tensor) *graph.Tensor {
	return b.Name(b.Experts(x, routing, m.Experts), "ffn_moe_out")
}

// Shared is a mixture beside an expert that every token uses (Dai et al. 2024, arXiv:2401.06066).
type Shared struct{ MoE, Expert FFN }

// Apply records the block.
func (s *Shared) Apply(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
	routed := s.MoE.Apply(b, x)
	return b.Add(routed, s.Expert.Apply(b, x))
}

// Gated is a feed-forward block behind one gate for the whole of it: σ(gate·x)·ffn(x).
type Gated struct {
	Gate graph.Linear // one row
	FFN  FFN
}

// Apply records the block.
func (g *Gated) Apply(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
	gate := b.Name(b.Linear(x, g.Gate), "shared_expert_gate")
	return b.Name(b.GLU(graph.Sigmoid, gate, g.FFN.Apply(b, x)), "ffn_shexp_gated")
}

// LatentMoE is a mixture whose experts work in a narrower space, chosen by the whole row (NVIDIA 2025, arXiv:2512.20856):
// up·Σ w_e·expert_e(down·x).
type LatentMoE struct {
	MoE      *MoE
	Down, Up graph.Linear
	Norm     *graph.NormWeights // of the sum; nil: none
}

// Apply records the block.
func (l *LatentMoE) Apply(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
	routing := l.MoE.Choose(b, x)
	latent := b.Name(b.Linear(x, l.Down), "ffn_latent_down")
	sum := l.MoE.Mix(b, latent, routing)
	if l.Norm != nil {
		sum = b.Name(b.Norm(sum, *l.Norm), "ffn_latent_norm")
	}
	return b.Name(b.Linear(sum, l.Up), "ffn_latent_up")
}
