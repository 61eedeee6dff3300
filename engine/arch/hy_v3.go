package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Hy3 (model card of tencent/Hy3-preview): the layers of qwen3 with DeepSeek-V3's experts where a layer has a router, and dense
// blocks elsewhere.

func newHyV3(s *source) architecture {
	return s.qwen3(s.whereRouted(s.routedExperts(graph.GateSigmoid), scaled))
}

// whereRouted binds experts beside shared ones in the layers whose router the file has, and dense blocks in the others.
func (s *source) whereRouted(e experts, sc scaling) func(layer int) blocks.FFN {
	return func(i int) blocks.FFN {
		if !s.has(name(i, "ffn_gate_inp.weight")) {
			return s.glu(i, e.Act, sc)
		}
		return s.withShared(i, s.moe(i, e, sc), sc)
	}
}

func init() { register("hy_v3", newHyV3) }
