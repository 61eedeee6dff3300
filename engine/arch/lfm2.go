package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// LFM2 (arXiv:2511.23404): gated short convolutions, and attention in some layers, with norms on the heads of queries and keys,
// rotary pairs (i, i + Dims/2), and a sliding window where the file has one. LFM2-MoE has experts after the leading layers, whose
// gates are sigmoids. The last norm is called that of the embedding.

func newLFM2(s *source) architecture {
	rope, window := s.rope(graph.RopeNeox, nil), s.IntOr("attention.sliding_window", 0)
	mix := func(i int) mixer {
		if s.recurrent(i) {
			return s.shortConv(i)
		}
		qk := s.qkNorm(i)
		a := s.attentionMixer(i, rope, &qk)
		a.Spec.Window = window
		return a
	}
	moe := s.routedExperts(graph.GateSoftmax)
	moe.Normalise, moe.Scale = true, 0 // whatever the file says
	s.lastNorm = "token_embd_norm"
	return s.hybrid(s.ends(), mix, s.whereRouted(moe, unscaled))
}

// shortConv is the gated short convolution: [b, c, x] = In·h; Out·(c ⊙ conv(b ⊙ x)).
type shortConv struct {
	b, c, x graph.Linear
	conv    blocks.Conv
	out     graph.Linear
}

func (s *source) shortConv(i int) *shortConv {
	in := split(s.ffn(name(i, "shortconv.in_proj"), s.NEmbd, 3*s.NEmbd, unscaled), s.NEmbd, s.NEmbd, s.NEmbd)
	return &shortConv{b: in[0], c: in[1], x: in[2],
		conv: s.conv(name(i, "shortconv.conv"), s.IntIn("shortconv.l_cache", 1, maxTaps), s.NEmbd),
		out:  s.ffn(name(i, "shortconv.out_proj"), s.NEmbd, s.NEmbd, unscaled)}
}

func (m *shortConv) Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor {
	gate, c, x := b.Linear(h, m.b), b.Linear(h, m.c), b.Linear(h, m.x)
	y := b.Mul(c, m.conv.Apply(b, b.Mul(gate, x)))
	return b.Name(b.Linear(y, m.out), "shortconv_out")
}

func init() {
	register("lfm2", newLFM2)
	register("lfm2moe", newLFM2)
}
