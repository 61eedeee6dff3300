package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Ling 1 (arXiv:2503.05139), named after its team: llama with many small experts beside shared ones in every layer. Attention is
// scaled by the rotated columns of a head.

func newBailingMoE(s *source) architecture {
	moe := s.experts()
	moe.Normalise = s.BoolOr("expert_weights_norm", false)
	moe.Scale = float32(s.FloatOr("expert_weights_scale", 0))
	rope := s.rope(graph.RopeNorm, nil)
	m := s.decoder(rope, func(i int) blocks.FFN { return s.withShared(i, s.moe(i, moe, unscaled), unscaled) })
	m.attn.Scale = 1 / sqrt32(rope.Dims)
	return m
}

func init() { register("bailingmoe", newBailingMoE) }
