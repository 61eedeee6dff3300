package arch

import "github.com/llamakit/llamakit/engine/graph"

// Ling 2.0 and Ring 2.0 (arXiv:2510.22115): the layers of qwen3 with a fused matrix of queries, keys and values, rotary embedding on
// a part of each head, and DeepSeek-V3's experts: gates by the sigmoid, a choosing bias, groups, shared experts.

func newBailingMoE2(s *source) architecture {
	return s.qwen3(s.deepSeekMoE(s.routedExperts(graph.GateSigmoid), unscaled))
}

func init() { register("bailingmoe2", newBailingMoE2) }
