package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Nomic Embed (arXiv:2402.01613): bert with rotary pairs (i, i + Dims/2) instead of learned positions, SwiGLU, and no biases.
// Nomic Embed v2 (arXiv:2502.07972) has MLPs with GELU instead, which in every second layer are a mixture of experts.

func newNomicBERT(s *source) architecture {
	m := s.encoder(s.rope(graph.RopeNeox, nil), s.swiGLU(unscaled))
	return &m
}

func newNomicBERTMoE(s *source) architecture {
	m := s.encoder(s.rope(graph.RopeNeox, nil), s.nomicFFN())
	return &m
}

func (s *source) nomicFFN() func(layer int) blocks.FFN {
	every, dense, e := s.IntOr("moe_every_n_layers", 0), s.mlp(graph.GELU), s.experts()
	e.Act, e.Normalise = graph.GELU, false
	return func(i int) blocks.FFN {
		if every > 0 && i%every == 1 {
			return s.mlpExperts(i, e)
		}
		return dense(i)
	}
}

// mlpExperts binds experts that are MLPs.
func (s *source) mlpExperts(i int, e experts) *blocks.MoE {
	return &blocks.MoE{
		Router: s.ffn(name(i, "ffn_gate_inp"), s.NEmbd, e.N, unscaled),
		Route:  e.RouteSpec,
		Experts: graph.ExpertsSpec{Act: e.Act,
			Up:   s.expertStack(name(i, "ffn_up_exps"), s.NEmbd, e.NFF, e.N, unscaled),
			Down: s.expertStack(name(i, "ffn_down_exps"), e.NFF, s.NEmbd, e.N, unscaled)},
	}
}

func init() {
	register("nomic-bert", newNomicBERT)
	register("nomic-bert-moe", newNomicBERTMoE)
}
