package arch

import "github.com/llamakit/llamakit/engine/graph"

// MiMo-V2-Flash (arXiv:2601.02780): the plain decoder with rotary pairs (i, i + Dims/2) on a part of each head, sliding windows in most
// layers, which have a rotary base, a number of key heads and a learned sink a head of their own, a scale on what attention found, and
// DeepSeek-V3's experts where a layer has a router.

type mimo2 struct {
	*decoder
	specs      []graph.AttentionSpec // by layer
	ropeSWA    *graph.RopeSpec       // of the sliding layers
	valueScale float32               // 0: none
}

func newMiMo2(s *source) architecture {
	moe := s.experts()
	moe.Gating = graph.GateSigmoid
	rope := s.rope(graph.RopeNeox, nil)
	m := &mimo2{decoder: &decoder{ends: s.ends(), rope: rope}, ropeSWA: s.ropeSWA(rope, 10000).Unscaled()}
	m.valueScale = float32(s.FloatOr("attention.value_scale", 0))
	ffn := s.whereRouted(moe, unscaled)
	for i, window := range s.windows(4) {
		l, spec := s.preNorm(i, ffn(i)), s.attentionOf(i)
		for _, p := range []*graph.Linear{&l.attn.Q, &l.attn.K, &l.attn.V} {
			p.Bias, p.Scale = nil, nil // no model has them, and llama.cpp passes over a file's
		}
		spec.Window, spec.Sinks = window, s.vectorOr(name(i, "attn_sinks.weight"), spec.Heads)
		m.layers, m.specs = append(m.layers, l), append(m.specs, spec)
	}
	return m
}

func (m *mimo2) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l, spec, rope := &m.layers[i], m.specs[i], m.rope
	if spec.Window > 0 {
		rope = m.ropeSWA
	}
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	x = b.Name(b.Add(x, scale(b, l.attention(b, h, spec, rope), m.valueScale)), "ffn_inp")
	return l.feedForward(b, x)
}

func (m *mimo2) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("mimo2", newMiMo2) }
