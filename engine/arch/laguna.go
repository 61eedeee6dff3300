package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Laguna (model card of poolside/Laguna-XS.2): the plain decoder with norms on the heads of queries and keys, a softplus gate on each head
// or column of what attention found, rotary pairs (i, i + Dims/2) on a part of each head, and DeepSeek-V3's experts. The first of four
// layers sees everything; the sliding ones have a rotary base, never scaled, a part of the head to rotate and a number of heads of
// their own.

type laguna struct {
	ends
	layers []lagunaLayer
}

type lagunaLayer struct {
	preNorm
	spec graph.AttentionSpec
	rope *graph.RopeSpec
	qk   blocks.QKNorm // weights are (HeadDim)
	gate blocks.OutputGate
}

func newLaguna(s *source) architecture {
	m := &laguna{ends: s.ends()}
	rope := s.rope(graph.RopeNeox, nil)
	ropeSWA := s.ropeSWA(rope, rope.Base).Unscaled()
	ropeSWA.Dims = s.ropeDims("rope.dimension_count_swa", rope.Dims)
	ffn := s.deepSeekMoE(s.routedExperts(graph.GateSigmoid), unscaled)
	for i, window := range s.windowsDenseFirst(4) {
		l := lagunaLayer{preNorm: s.preNorm(i, ffn(i)), spec: s.attentionOf(i), rope: rope, qk: s.qkNorm(i), gate: s.lagunaGate(i)}
		if l.spec.Window = window; window > 0 {
			l.rope = ropeSWA
		}
		m.layers = append(m.layers, l)
	}
	return m
}

// lagunaGate binds the gate of layer i: a row for each head, or else for each column.
func (s *source) lagunaGate(i int) blocks.OutputGate {
	heads := s.Layers[i].NHead
	if t, ok := s.file.Tensor(name(i, "attn_gate.weight")); ok && len(t.Shape) == 2 && t.Shape[1] == heads {
		return s.outputGate(i, heads, graph.Softplus)
	}
	return s.outputGate(i, heads*s.HeadDimV, graph.Softplus)
}

func (m *laguna) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q, k = l.qk.Heads(b, q, k, l.spec.DimK)
	q, k = rotate(b, q, k, l.spec.DimK, l.rope)
	x = b.Name(b.Add(x, l.gate.Attend(b, &l.attn, h, q, k, v, l.spec)), "ffn_inp")
	return l.feedForward(b, x)
}

func (m *laguna) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("laguna", newLaguna) }
