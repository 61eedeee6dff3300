package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Grok 1 and 2 (github.com/xai-org/grok-1): embeddings times a scale, norms before and after each sub-layer, rotary pairs
// (i, i + Dims/2), a soft cap on attention scores, and in each layer a mixture of experts with GeGLU; Grok 2 has a dense block beside
// it, and the sum of the two is divided by sqrt(2). Logits have a scale and then a soft cap.

type grok struct {
	ends
	layers               []sandwich
	attn                 graph.AttentionSpec
	rope                 *graph.RopeSpec
	embdScale            float32
	logitScale, finalCap float32
}

// newGrok has the defaults of files that were made before the keys.
func newGrok(s *source) architecture {
	m := &grok{ends: s.ends(), attn: s.attention(), rope: s.rope(graph.RopeNeox, nil)}
	m.embdScale = float32(s.FloatOr("embedding_scale", 78.38367176906169)) // sqrt(6144), the width of Grok 1
	m.logitScale = float32(s.FloatOr("logit_scale", 0.5773502691896257))
	m.finalCap = float32(s.FloatOr("final_logit_softcapping", 0))
	m.attn.Scale = float32(s.FloatOr("attention.output_scale", 0.08838834764831845))
	m.attn.Cap = float32(s.FloatOr("attn_logit_softcapping", 30))
	if m.rope.Yarn != nil {
		m.rope.Yarn.BetaFast = float32(s.FloatOr("rope.scaling.yarn_beta_fast", 8))
	}
	moe := s.experts()
	moe.Act = graph.GELU
	for i := range s.NLayer {
		m.layers = append(m.layers, sandwich{
			preNorm:  s.preNorm(i, s.grokFFN(i, moe)),
			attnPost: s.norm(name(i, "attn_output_norm"), s.NEmbd),
			ffnPost:  s.norm(name(i, "layer_output_norm"), s.NEmbd),
		})
	}
	return m
}

// grokFFN is (moe(x) + dense(x)) / sqrt(2).
type grokFFN struct {
	moe   *blocks.MoE
	dense *blocks.GLU
}

func (s *source) grokFFN(i int, e experts) blocks.FFN {
	moe := s.moe(i, e, unscaled)
	if !s.has(name(i, "ffn_up.weight")) {
		return moe
	}
	return &grokFFN{moe, s.glu(i, e.Act, unscaled)}
}

// Apply records the block.
func (f *grokFFN) Apply(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
	sum := b.Add(f.moe.Apply(b, x), f.dense.Apply(b, x))
	return b.Name(b.Scale(sum, 1/sqrt32(2)), "ffn_out")
}

func (m *grok) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	return l.close(b, x, l.attention(b, h, m.attn, m.rope))
}

func (m *grok) forward() *graph.Graph {
	b := &graph.Builder{}
	x := b.Name(b.Scale(b.Embed(m.embd), m.embdScale), "inp_scaled")
	for i := range m.layers {
		b.SetLayer(i)
		x = m.block(b, x, i)
	}
	hidden, logits := m.finish(b, x)
	logits = b.Scale(logits, m.logitScale)
	if m.finalCap > 0 {
		logits = b.Name(b.SoftCap(logits, m.finalCap), "result_output_capped")
	}
	return b.Finish(hidden, logits)
}

func init() { register("grok", newGrok) }
