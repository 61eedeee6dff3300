package arch

import "github.com/llamakit/llamakit/engine/graph"

// MiniMax-M3 (model card of MiniMaxAI/MiniMax-M3): the layers of qwen3 with rotary embedding on a part of each head and DeepSeek-V3's
// experts, all feed-forward blocks with gpt-oss's gated unit. The weights of its sparse attention, which keeps the best blocks of
// keys by a small indexer, are passed over: every key is visible, as in llama.cpp without flash attention.

func newMiniMaxM3(s *source) architecture {
	moe := s.routedExperts(graph.GateSigmoid)
	moe.Act = graph.SwiGLUOAI
	return s.qwen3(s.deepSeekMoE(moe, unscaled))
}

func init() { register("minimax-m3", newMiniMaxM3) }
