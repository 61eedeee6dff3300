package arch

import "github.com/llamakit/llamakit/engine/graph"

// Mistral 3 and Ministral 3 (model cards of mistralai/Ministral-3-*-2512): llama with YaRN, and queries that grow with the
// position: q ·= 1 + temperature_scale·ln(floor(p/original context) + 1).

type mistral3 struct {
	*decoder
	tempScale, tempLength float32 // tempScale 0: queries stay as they are
}

func newMistral3(s *source) architecture {
	m := &mistral3{decoder: s.llama()}
	m.tempScale = float32(s.FloatOr("attention.temperature_scale", 0))
	m.tempLength = float32(s.IntOr("rope.scaling.original_context_length", s.TrainContext))
	return m
}

func (m *mistral3) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q = b.RoPE(q, m.attn.DimK, m.rope)
	k = b.RoPE(k, m.attn.DimK, m.rope)
	if m.tempScale != 0 {
		q = b.Name(b.PosScale(q, m.tempScale, m.tempLength, 0), "Qcur_attn_temp_scaled")
	}
	x = b.Name(b.Add(x, l.attn.Attend(b, q, k, v, m.attn)), "ffn_inp")
	return l.feedForward(b, x)
}

func (m *mistral3) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("mistral3", newMistral3) }
