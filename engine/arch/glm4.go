package arch

import "github.com/llamakit/llamakit/engine/graph"

// GLM-4-0414 (model card of zai-org/GLM-4-32B-0414) and the text half of GLM-4.1V (arXiv:2507.01006): norms before and after both
// sub-layers, a rotary embedding on part of each head, and the two matrices of SwiGLU in one tensor. Pairs are (2i, 2i+1); where the
// file has rotary sections for time, height and width, (i, i + Dims/2).

type glm4 struct {
	ends
	layers []sandwich
	attn   graph.AttentionSpec
	rope   *graph.RopeSpec
}

func newGLM4(s *source) architecture {
	kind := graph.RopeNorm
	if s.ropeSections() {
		kind = graph.RopeNeox
	}
	m := &glm4{ends: s.ends(), attn: s.attention(), rope: s.rope(kind, nil)}
	for i := range s.NLayer {
		m.layers = append(m.layers, s.sandwich(i, s.fusedGLU(i, graph.SiLU)))
	}
	return m
}

func (m *glm4) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q, k = rotate(b, q, k, m.attn.DimK, m.rope)
	return l.close(b, x, l.attn.Attend(b, q, k, v, m.attn))
}

func (m *glm4) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("glm4", newGLM4) }
