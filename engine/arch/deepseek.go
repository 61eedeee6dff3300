package arch

import "github.com/llamakit/llamakit/engine/graph"

// DeepSeekMoE 16B (arXiv:2401.06066): llama with many small experts beside shared ones, in all layers but the leading. The weights
// of experts are not divided by their sum.

func newDeepSeek(s *source) architecture {
	moe := s.experts()
	moe.Normalise = false
	moe.Scale = float32(s.FloatOr("expert_weights_scale", 0))
	return s.decoder(s.rope(graph.RopeNorm, nil), s.deepSeekMoE(moe, unscaled))
}

func init() { register("deepseek", newDeepSeek) }
