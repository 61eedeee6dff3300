package arch

import "github.com/llamakit/llamakit/engine/graph"

// GLM-4.5 (arXiv:2508.06471): the plain decoder with rotary pairs (i, i + Dims/2) on half of each head and DeepSeek-V3's experts; the
// large models norm the heads of queries and keys as qwen3 does.

func newGLM4MoE(s *source) architecture {
	s.ffnNorm = "post_attention_norm"
	ffn := s.deepSeekMoE(s.routedExperts(graph.GateSigmoid), unscaled)
	if s.has(name(0, "attn_q_norm.weight")) {
		return s.qwen3(ffn)
	}
	return s.decoder(s.rope(graph.RopeNeox, nil), ffn)
}

func init() { register("glm4moe", newGLM4MoE) }
