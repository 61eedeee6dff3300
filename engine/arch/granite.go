package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Granite 3 (github.com/ibm-granite/granite-3.0-language-models) and MiniCPM (arXiv:2404.06395): the plain decoder with rotary
// pairs (2i, 2i+1) and four scales: of the embedding, of what each sub-layer adds, of the scores, and a divisor of the logits.
// Granite-MoE has experts, and beside them a shared one where the file has it.

type granite struct {
	*decoder
	embdScale, residualScale, logitScale float32 // 0: none
}

func newGranite(s *source) architecture {
	m := s.granite()
	if !s.BoolOr("rope.scaling.finetuned", true) {
		m.rope = nil
	}
	return m
}

func newGraniteMoE(s *source) architecture { return s.granite() }

// newMiniCPM has the defaults of files that were made before the keys.
func newMiniCPM(s *source) architecture {
	m := s.granite()
	m.embdScale = float32(s.FloatOr("embedding_scale", 12))
	m.residualScale = float32(s.FloatOr("residual_scale", float64(1.4/sqrt32(s.NLayer))))
	m.logitScale = float32(s.FloatOr("logit_scale", 256/float64(s.NEmbd)))
	return m
}

func (s *source) granite() *granite {
	ffn, moe := s.swiGLU(unscaled), s.experts()
	if moe.N > 0 {
		moe.NFF = s.NFF
		ffn = func(i int) blocks.FFN { return s.withShared(i, s.moe(i, moe, unscaled), unscaled) }
	}
	m := &granite{decoder: s.decoder(s.rope(graph.RopeNorm, s.ropeFactors()), ffn)}
	if scale := float32(s.FloatOr("attention.scale", 0)); scale != 0 {
		m.attn.Scale = scale
	}
	m.embdScale = float32(s.FloatOr("embedding_scale", 0))
	m.residualScale = float32(s.FloatOr("residual_scale", 0))
	m.logitScale = float32(s.FloatOr("logit_scale", 0))
	return m
}

// scale is x·by where by is not 0.
func scale(b *graph.Builder, x *graph.Tensor, by float32) *graph.Tensor {
	if by == 0 {
		return x
	}
	return b.Scale(x, by)
}

func (m *granite) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	return m.layer(b, x, i, m.rope, m.attn)
}

// layer records layer i with the rotary embedding rope; nil: none.
func (m *granite) layer(b *graph.Builder, x *graph.Tensor, i int, rope *graph.RopeSpec, spec graph.AttentionSpec) *graph.Tensor {
	l := &m.layers[i]
	if i == 0 {
		x = b.Name(scale(b, x, m.embdScale), "inp_scaled")
	}
	q, k, v := l.attn.Project(b, b.Name(b.Norm(x, l.attnNorm), "attn_norm"))
	q, k = rotate(b, q, k, spec.DimK, rope)
	x = b.Name(b.Add(x, scale(b, l.attn.Attend(b, q, k, v, spec), m.residualScale)), "ffn_inp")

	h := b.Name(b.Norm(x, l.ffnNorm), "ffn_norm")
	return b.Name(b.Add(x, scale(b, l.ffn.Apply(b, h), m.residualScale)), "l_out")
}

func (m *granite) forward() *graph.Graph { return m.record(m.block) }

func (m *granite) record(block func(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor) *graph.Graph {
	logitScale := float32(0)
	if m.logitScale != 0 {
		logitScale = 1 / m.logitScale
	}
	return m.runScaled(len(m.layers), logitScale, block)
}

func init() {
	register("granite", newGranite)
	register("granitemoe", newGraniteMoE)
	register("minicpm", newMiniCPM)
}
