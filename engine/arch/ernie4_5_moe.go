package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// ERNIE 4.5, mixture of experts (technical report at yiyan.baidu.com/blog/publication): ernie4_5 with experts beside shared ones in
// every step-th layer after the leading ones. Gates are a softmax; a bias helps to choose.

func newERNIE45MoE(s *source) architecture {
	moe, lead, step := s.experts(), s.IntOr("leading_dense_block_count", 0), s.layerStep("interleave_moe_layer_step")
	ffn := func(i int) blocks.FFN {
		if i < lead || (i+1)%step != 0 {
			return s.glu(i, graph.SiLU, unscaled)
		}
		return s.withShared(i, s.moe(i, moe, unscaled), unscaled)
	}
	m := s.decoder(s.rope(graph.RopeNorm, nil), ffn)
	m.dropOutputBias()
	return m
}

// layerStep reads how many layers there are to one of a kind, 1 where the key is missing or 0.
func (s *source) layerStep(key string) int { return max(1, s.IntOr(key, 1)) }

func init() { register("ernie4_5-moe", newERNIE45MoE) }
