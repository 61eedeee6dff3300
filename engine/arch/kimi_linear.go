package arch

import "github.com/llamakit/llamakit/engine/graph"

// Kimi Linear (arXiv:2510.26692): Kimi Delta Attention in three layers of four and latent attention without positions in the fourth, with
// DeepSeek-V3's experts in all layers but the leading.

func newKimiLinear(s *source) architecture {
	p, moe := s.latent(), s.routedExperts(graph.GateSigmoid)
	moe.Normalise = true
	return s.hybrid(s.ends(), func(i int) mixer {
		if s.recurrent(i) {
			return s.kda(i, 0)
		}
		return s.mla(i, p)
	}, s.deepSeekMoE(moe, unscaled))
}

func init() { register("kimi-linear", newKimiLinear) }
