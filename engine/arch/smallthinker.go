package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// SmallThinker (arXiv:2507.20984): the plain decoder with rotary pairs (i, i + Dims/2), three layers of four with a sliding window and
// the others without rotary embedding, and a mixture of experts with ReLU in the gated units, whose router reads the layer's raw
// input, so that experts can be fetched while attention is computed.

// llama.cpp goes by these numbers whatever the file says.
const (
	smallThinkerWindow   = 4096
	smallThinkerNoPEStep = 4
)

type smallThinker struct {
	*decoder
	moe     []*blocks.MoE // by layer
	windows []int         // by layer; 0: none
	ropeSWA *graph.RopeSpec
	sliding bool // without windows in the file every layer has a rotary embedding
}

func newSmallThinker(s *source) architecture {
	e := s.routedExperts(graph.GateSoftmax)
	e.Normalise, e.Scale, e.Act = true, 0, graph.ReLU
	m := &smallThinker{windows: s.windowsDenseFirst(4), sliding: s.IntOr("attention.sliding_window", 0) > 0}
	m.decoder = s.decoder(s.rope(graph.RopeNeox, nil), func(i int) blocks.FFN {
		m.moe = append(m.moe, s.moe(i, e, unscaled))
		return m.moe[i]
	})
	m.ropeSWA = s.ropeSWA(m.rope, m.rope.Base)
	return m
}

func (m *smallThinker) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l, spec, rope := &m.layers[i], m.attn, m.rope
	if m.windows[i] > 0 {
		spec.Window, rope = smallThinkerWindow, m.ropeSWA
	}
	if m.sliding && i%smallThinkerNoPEStep == 0 {
		rope = nil
	}
	routing := m.moe[i].Choose(b, x)
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	x = b.Name(b.Add(x, l.attention(b, h, spec, rope)), "ffn_inp")
	h = b.Name(b.Norm(x, l.ffnNorm), "ffn_norm")
	return b.Name(b.Add(x, m.moe[i].Mix(b, h, routing)), "l_out")
}

func (m *smallThinker) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("smallthinker", newSmallThinker) }
