package arch

// RND1 (model card of radicalnumerics/RND1-Base-0910), a diffusion model that was trained on from Qwen3-30B-A3B: qwen3moe with
// full attention. A sampler fills masked positions in several passes over the whole text.

func newRND1(s *source) architecture {
	m := s.qwen3(s.mixture(s.experts(), unscaled))
	m.attn.Full = true
	return m
}

func init() { register("rnd1", newRND1) }
