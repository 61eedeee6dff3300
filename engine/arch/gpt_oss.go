package arch

import "github.com/llamakit/llamakit/engine/graph"

// gpt-oss (arXiv:2508.10925): the plain decoder with rotary pairs (i, i + Dims/2) stretched by YaRN, every other layer with a sliding
// window, a learned sink for each head, biases everywhere, and a mixture of experts in every layer whose weights are a softmax
// over the chosen ones. Its gated unit is g·σ(1.702·g)·(u+1), with both halves bounded.

type gptOSS struct {
	*decoder
	windows []int       // by layer; 0: none
	sinks   [][]float32 // by layer; (NHead)
	ropeSWA *graph.RopeSpec
}

func newGPTOSS(s *source) architecture {
	s.ffnNorm = "post_attention_norm"
	moe := s.experts()
	moe.Act, moe.Gating, moe.Normalise = graph.SwiGLUOAI, graph.GateChosen, false
	m := &gptOSS{decoder: s.decoder(s.rope(graph.RopeNeox, nil), s.mixture(moe, unscaled)), windows: s.windows(2)}
	m.attn.Scale = 1 / sqrt32(m.rope.Dims)
	m.ropeSWA = s.ropeSWA(m.rope, m.rope.Base)
	for i := range s.NLayer {
		m.sinks = append(m.sinks, s.vector(name(i, "attn_sinks.weight"), s.NHead))
	}
	return m
}

func (m *gptOSS) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l, spec, rope := &m.layers[i], m.attn, m.rope
	spec.Sinks = m.sinks[i]
	if spec.Window = m.windows[i]; spec.Window > 0 {
		rope = m.ropeSWA
	}
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	x = b.Name(b.Add(x, l.attention(b, h, spec, rope)), "ffn_inp")
	return l.feedForward(b, x)
}

func (m *gptOSS) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("gpt-oss", newGPTOSS) }
