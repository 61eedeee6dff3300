package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// North Mini Code (model card of CohereLabs/North-Mini-Code-1.0): cohere2 with DeepSeek-V3's experts after the leading layers, the first
// layer of four seeing everything instead of the last, and a rotary embedding on the leading layers too. Where there are shared experts
// the mean of both is taken. Files with an epsilon for it have RMSNorm.

type cohere2MoE struct {
	cohere2
	lead int // dense layers
}

func newCohere2MoE(s *source) architecture {
	if s.NormEps == 0 {
		s.norm = s.layerNorm
	}
	moe := s.routedExperts(graph.GateSigmoid)
	experts := s.deepSeekMoE(moe, scaled)
	ffn := func(i int) blocks.FFN {
		f := experts(i)
		if shared, ok := f.(*blocks.Shared); ok {
			return &mean{shared}
		}
		return f
	}
	m := &cohere2MoE{lead: s.IntOr("leading_dense_block_count", 0)}
	m.parallel = s.parallel(s.rope(graph.RopeNorm, nil), ffn)
	m.windows = s.windowsDenseFirst(4)
	m.logitScale = float32(s.Float("logit_scale"))
	return m
}

// mean is half of a mixture and half of the expert beside it.
type mean struct{ *blocks.Shared }

// Apply records the block.
func (f *mean) Apply(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
	return b.Name(b.Scale(f.Shared.Apply(b, x), 0.5), "ffn_out")
}

func (m *cohere2MoE) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l, spec, rope := &m.layers[i], m.attn, m.rope
	if spec.Window = m.windows[i]; spec.Window == 0 && i >= m.lead {
		rope = nil
	}
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	return l.sum(b, x, l.attention(b, h, spec, rope), h)
}

func (m *cohere2MoE) forward() *graph.Graph { return m.runScaled(len(m.layers), m.logitScale, m.block) }

func init() { register("cohere2moe", newCohere2MoE) }
