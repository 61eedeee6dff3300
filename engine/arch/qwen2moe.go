package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Qwen2-MoE and Qwen1.5-MoE (arXiv:2407.10671): qwen2 with a mixture of experts in every layer, whose weights are not divided by
// their sum, and a shared expert behind a gate of its own.

func newQwen2MoE(s *source) architecture {
	moe := s.experts()
	moe.Normalise = false
	ffn := func(i int) blocks.FFN { return s.withGatedShared(i, s.moe(i, moe, unscaled), unscaled) }
	return s.decoder(s.rope(graph.RopeNeox, nil), ffn)
}

func init() { register("qwen2moe", newQwen2MoE) }
