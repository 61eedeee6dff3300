package arch

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
)

// GroveMoE (arXiv:2508.07785): the layers of qwen3 with two sets of experts. The first is a mixture as in qwen3moe. Of the second, the
// adjugate experts, several neighbours of the first set share one; they work on what the first set found:
//
//	y = Σ w_e·expert_e(x);  y + scale·Σ w_a·adjugate_a(y), a = e/share for the same chosen e
//
// As in llama.cpp, w_a is the gate of number a, divided by the sum of these.

// grove are both sets of a layer.
type grove struct {
	moe      *blocks.MoE
	adjugate *blocks.MoE // without a router
	scale    float32
}

func newGroveMoE(s *source) architecture {
	moe, scale := s.experts(), float32(s.FloatOr("expert_group_scale", 0))
	share := max(1, s.IntIn("experts_per_group", 1, max(1, moe.N)))
	if moe.N%share != 0 {
		s.fail(fmt.Errorf("%w: %d experts cannot share adjugate ones by %d", gguf.ErrCorrupt, moe.N, share))
	}
	second := moe
	second.Share, second.N = share, moe.N/share
	second.NFF = s.IntOr("expert_chunk_feed_forward_length", 0)
	if second.NFF == 0 {
		second.NFF = s.HeadDim // as in llama.cpp: no key in files that were made before it
	}
	return s.qwen3(func(i int) blocks.FFN {
		return &grove{s.moe(i, moe, unscaled), s.moeNamed(i, "_chexps", s.NEmbd, second, unscaled), scale}
	})
}

// Apply records the block.
func (g *grove) Apply(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
	logits := b.Name(b.Linear(x, g.moe.Router), "ffn_moe_logits")
	y := g.moe.Mix(b, x, b.Name(b.Route(logits, g.moe.Route), "ffn_moe_topk"))
	adjugate := g.adjugate.Mix(b, y, b.Route(logits, g.adjugate.Route))
	return b.Name(b.Add(y, b.Scale(adjugate, g.scale)), "ffn_out")
}

func init() { register("grovemoe", newGroveMoE) }
