package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Spark X2.5 (model card of XHToken/Spark-X2.5-1.7B): the plain decoder with GeGLU and a sigmoid gate on each head of what attention found.
// Sliding layers and those that see everything differ in the number of heads, and in how much of a head is rotated and at which base;
// pairs are (i, i + Dims/2).

type spark25 struct {
	ends
	layers []spark25Layer
}

type spark25Layer struct {
	preNorm
	spec graph.AttentionSpec
	gate blocks.OutputGate // one row a head
	rope *graph.RopeSpec
}

func newSpark25(s *source) architecture {
	m := &spark25{ends: s.ends()}
	rope := s.rope(graph.RopeNeox, nil)
	ropeSWA := s.ropeSWA(rope, rope.Base)
	ropeSWA.Dims = s.ropeDims("rope.dimension_count_swa", rope.Dims)
	for i, window := range s.windows(4) {
		l := spark25Layer{preNorm: s.preNorm(i, s.glu(i, graph.GELU, unscaled)), spec: s.attentionOf(i), rope: rope}
		l.gate = s.outputGate(i, s.Layers[i].NHead, graph.Sigmoid)
		if l.spec.Window = window; window > 0 {
			l.rope = ropeSWA
		}
		m.layers = append(m.layers, l)
	}
	return m
}

func (m *spark25) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q, k = rotate(b, q, k, l.spec.DimK, l.rope)
	x = b.Name(b.Add(x, l.gate.Attend(b, &l.attn, h, q, k, v, l.spec)), "ffn_inp")
	return l.feedForward(b, x)
}

func (m *spark25) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("spark2_5", newSpark25) }
