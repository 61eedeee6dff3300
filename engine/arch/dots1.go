package arch

import "github.com/llamakit/llamakit/engine/graph"

// dots.llm1 (arXiv:2506.05767): the layers of qwen3 with DeepSeek-V3's experts: gates by the sigmoid, a choosing bias, shared experts.

func newDots1(s *source) architecture {
	return s.qwen3(s.deepSeekMoE(s.routedExperts(graph.GateSigmoid), unscaled))
}

func init() { register("dots1", newDots1) }
