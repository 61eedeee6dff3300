package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// DeciLM and Llama-Nemotron (arXiv:2411.19146, 2505.00949): llama after a search that replaced parts of single layers. A layer
// without heads has no attention; one with heads but no key heads has one matrix in its place; one without a feed-forward
// width is empty.

type deci struct {
	ends
	layers []deciLayer
	rope   *graph.RopeSpec
}

type deciLayer struct {
	preNorm                     // ffn nil: an empty layer
	spec    graph.AttentionSpec // Heads 0: no attention; HeadsKV 0: the output matrix alone
}

func newDeci(s *source) architecture {
	m := &deci{ends: s.ends(), rope: s.rope(graph.RopeNorm, s.ropeFactors())}
	for i, h := range s.Layers {
		l := deciLayer{spec: s.attentionOf(i)}
		if h.NFF > 0 {
			l.ffnNorm, l.ffn = s.norm(name(i, "ffn_norm"), s.NEmbd), s.glu(i, graph.SiLU, unscaled)
		}
		if h.NFF > 0 && h.NHead > 0 {
			l.attnNorm, l.attn = s.norm(name(i, "attn_norm"), s.NEmbd), s.deciAttention(i)
		}
		m.layers = append(m.layers, l)
	}
	return m
}

func (s *source) deciAttention(i int) blocks.QKV {
	if s.Layers[i].NHeadKV == 0 {
		return blocks.QKV{O: graph.Linear{W: s.matrix(name(i, "attn_output.weight"), s.NEmbd, s.NEmbd)}}
	}
	return s.qkv(i)
}

func (m *deci) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	if l.ffn == nil {
		return x
	}
	if l.spec.Heads > 0 {
		h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
		x = b.Name(b.Add(x, m.attend(b, h, l)), "ffn_inp")
	}
	return l.feedForward(b, x)
}

func (m *deci) attend(b *graph.Builder, h *graph.Tensor, l *deciLayer) *graph.Tensor {
	if l.spec.HeadsKV == 0 {
		return b.Name(b.Linear(h, l.attn.O), "attn_out")
	}
	q, k, v := l.attn.Project(b, h)
	q, k = rotate(b, q, k, l.spec.DimK, m.rope)
	return l.attn.Attend(b, q, k, v, l.spec)
}

func (m *deci) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("deci", newDeci) }
