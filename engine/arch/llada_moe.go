package arch

// LLaDA-MoE (arXiv:2509.24389), a diffusion model: the layers of qwen3moe with full attention, and weights of experts that are
// not divided by their sum.

func newLLaDAMoE(s *source) architecture {
	moe := s.experts()
	moe.Normalise = false
	m := s.qwen3(s.mixture(moe, unscaled))
	m.attn.Full = true
	return m
}

func init() { register("llada-moe", newLLaDAMoE) }
