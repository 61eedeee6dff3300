package arch

import (
	"math"

	"github.com/llamakit/llamakit/engine/graph"
)

// MiniMax-01 (arXiv:2501.08313): lightning attention in seven layers of eight and softmax attention with rotary pairs
// (i, i + Dims/2) in the eighth, a mixture of experts in each, and the residual of DeepNorm (arXiv:2203.00555) on normed rows:
//
//	h = norm(x);  y = mix(h) + r·h
//	f = norm(y);  x = experts(f) + r·f

type minimax01 struct {
	*hybrid
	residual float32
}

func newMiniMax01(s *source) architecture {
	rope, recurrent, moe := s.rope(graph.RopeNeox, nil), s.recurrentLayers(8), s.experts()
	moe.NFF = s.NFF // no key of its own here
	mix := func(i int) mixer {
		if recurrent[i] {
			return s.lightning(i)
		}
		return s.attentionMixer(i, rope, nil)
	}
	return &minimax01{s.hybrid(s.ends(), mix, s.mixture(moe, unscaled)), float32(s.FloatOr("residual_scale", 1))}
}

// lightning is linear attention with a fixed decay (TransNormerLLM, arXiv:2307.14995; Lightning Attention-2, arXiv:2401.04658):
// S = exp(-λ_h)·S + k ⊗ v;  o = q S, with a norm over all heads and a gate after.
type lightning struct {
	qkv   graph.Linear // to q, k and v of each head in turn
	heads int
	decay []float32         // (heads) -λ
	norm  graph.NormWeights // (heads·HeadDim)
	gate  graph.Linear
	out   graph.Linear
}

func (s *source) lightning(i int) *lightning {
	width := s.NHead * s.HeadDim
	m := &lightning{qkv: s.ffn(name(i, "attn_qkv"), s.NEmbd, 3*width, unscaled), heads: s.NHead,
		norm: s.norm(name(i, "attn_norm_2"), width), gate: s.ffn(name(i, "attn_gate"), s.NEmbd, width, unscaled),
		out: s.ffn(name(i, "attn_output"), width, s.NEmbd, unscaled)}
	// Slopes as ALiBi's, smaller in later layers.
	depth := 1 - float64(i)/float64(max(1, s.NLayer-1)) + 1e-5
	for h := range s.NHead {
		m.decay = append(m.decay, float32(-math.Exp2(-8*float64(h+1)/float64(s.NHead))*depth))
	}
	return m
}

func (m *lightning) Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor {
	qkv := b.Activate(b.Linear(h, m.qkv), graph.SiLU)
	dim := qkv.Width / 3 / m.heads
	q, k, v := b.Slice(qkv, 3*dim, 0, dim), b.Slice(qkv, 3*dim, dim, dim), b.Slice(qkv, 3*dim, 2*dim, dim)
	o := b.Norm(b.Scan(v, nil, k, q, graph.ScanSpec{Heads: m.heads, N: dim, A: m.decay}), m.norm)
	return b.Name(b.Linear(b.GLU(graph.Sigmoid, b.Linear(h, m.gate), o), m.out), "linear_attn_out")
}

func (m *minimax01) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.Norm(x, l.mixNorm), "attn_norm")
	x = b.Name(b.Add(l.mix.Apply(b, h), b.Scale(h, m.residual)), "ffn_inp")
	h = b.Name(b.Norm(x, l.ffnNorm), "ffn_norm")
	return b.Name(b.Add(l.ffn.Apply(b, h), b.Scale(h, m.residual)), "l_out")
}

func (m *minimax01) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("minimax-01", newMiniMax01) }
