package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Granite 4.0-H (github.com/ibm-granite/granite-4.0-language-models): granite with Mamba-2 in most layers, and often no rotary
// embedding in the others.

type graniteHybrid struct {
	*hybrid
	embdScale, logitScale float32 // 0: none
}

func newGraniteHybrid(s *source) architecture {
	p, moe := s.ssm(), s.experts()
	var rope *graph.RopeSpec
	if s.BoolOr("rope.scaling.finetuned", true) {
		rope = s.rope(graph.RopeNorm, s.ropeFactors())
	}
	attnScale := float32(s.FloatOr("attention.scale", 0))
	residual := float32(s.FloatOr("residual_scale", 0))
	mix := func(i int) mixer {
		if s.recurrent(i) {
			return &scaledBlock{s.mamba2(i, p), residual}
		}
		attention := s.attentionMixer(i, rope, nil)
		if attnScale != 0 {
			attention.Spec.Scale = attnScale
		}
		return &scaledBlock{attention, residual}
	}
	moe.NFF = s.NFF // no key of its own here
	ffn := s.whereRouted(moe, unscaled)
	m := &graniteHybrid{hybrid: s.hybrid(s.ends(), mix, func(i int) blocks.FFN { return &scaledBlock{ffn(i), residual} })}
	m.embdScale = float32(s.FloatOr("embedding_scale", 0))
	m.logitScale = float32(s.FloatOr("logit_scale", 0))
	return m
}

// scaledBlock multiplies what a block adds to the stream; 0: not.
type scaledBlock struct {
	mixer
	by float32
}

func (r *scaledBlock) Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor {
	return scale(b, r.mixer.Apply(b, h), r.by)
}

func (m *graniteHybrid) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	if i == 0 {
		x = b.Name(scale(b, x, m.embdScale), "inp_scaled")
	}
	return m.hybrid.block(b, x, i)
}

func (m *graniteHybrid) forward() *graph.Graph {
	if m.logitScale != 0 {
		m.logitScale = 1 / m.logitScale
	}
	return m.runScaled(len(m.layers), m.logitScale, m.block)
}

func init() { register("granitehybrid", newGraniteHybrid) }
