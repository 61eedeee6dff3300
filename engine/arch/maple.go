package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Maple (model card of deepgrove/maple-preview): the layers of qwen3, the sliding ones with rotary embedding and the others without, and
// a mixture of experts whose gated units are bounded.

const mapleLimit = 7 // of files that do not say it

type maple struct {
	*qwen3
	windows []int // by layer; 0: none
}

func newMaple(s *source) architecture {
	moe, limits := s.experts(), s.limits("swiglu_clamp_exp", mapleLimit)
	m := &maple{windows: s.windows(4)}
	m.qwen3 = s.qwen3(func(i int) blocks.FFN {
		f := s.moe(i, moe, unscaled)
		f.Experts.Limit = limits[i]
		return f
	})
	m.rope = s.ropeSWA(m.rope, m.rope.Base)
	m.rope.Dims = s.ropeDims("rope.dimension_count_swa", m.rope.Dims)
	return m
}

func (m *maple) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	spec, rope := m.attn, m.rope
	if spec.Window = m.windows[i]; spec.Window == 0 {
		rope = nil
	}
	return m.layer(b, x, i, spec, rope)
}

func (m *maple) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("maple", newMaple) }
