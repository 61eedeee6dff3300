package arch

import "github.com/llamakit/llamakit/engine/graph"

// MiniMax-M2 (model card of MiniMaxAI/MiniMax-M2): the layers of olmoe, with rotary embedding on a part of each head, gates of
// experts by the sigmoid and a choosing bias.

func newMiniMaxM2(s *source) architecture {
	moe := s.routedExperts(graph.GateSigmoid)
	moe.Normalise, moe.Scale = true, 0 // whatever the keys say
	return s.olmoe(s.mixture(moe, unscaled))
}

func init() { register("minimax-m2", newMiniMaxM2) }
