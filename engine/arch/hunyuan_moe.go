package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Hunyuan-A13B (model card of tencent/Hunyuan-A13B-Instruct): the layers of hunyuan with a mixture of experts beside a shared one.

func newHunyuanMoE(s *source) architecture {
	moe := s.experts()
	return s.hunyuan(s.rope(graph.RopeNeox, nil), func(i int) blocks.FFN { return s.withShared(i, s.moe(i, moe, unscaled), unscaled) })
}

func init() { register("hunyuan-moe", newHunyuanMoE) }
