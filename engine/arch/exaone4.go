package arch

import "github.com/llamakit/llamakit/engine/graph"

// EXAONE 4 (arXiv:2507.11407): norms after the sub-layers as in olmo2, norms on the heads of queries and keys, rotary pairs
// (i, i + Dims/2) with Llama 3.1's factors, and SwiGLU. The 32B model has sliding windows in three layers of four and no rotary embedding in
// the fourth. Files of the 1.2B model name a window too, which does not count.

const exaone4WindowLayers = 64 // of the 32B model: no key says it

type exaone4 struct {
	ends
	layers  []postNorm
	attn    graph.AttentionSpec // without the window
	windows []int               // by layer, 0: none; nil: no layer slides and all are rotated
	rope    *graph.RopeSpec
}

func newExaone4(s *source) architecture {
	m := &exaone4{ends: s.ends(), attn: s.attention(), rope: s.rope(graph.RopeNeox, s.ropeFactors())}
	if s.NLayer == exaone4WindowLayers {
		m.windows = s.windows(4)
	}
	for i := range s.NLayer {
		m.layers = append(m.layers, s.postNorm(i, s.qkNorm(i)))
	}
	return m
}

func (m *exaone4) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l, spec, rope := &m.layers[i], m.attn, m.rope
	if m.windows != nil {
		spec.Window = m.windows[i]
	}
	if m.windows != nil && spec.Window == 0 {
		rope = nil
	}
	q, k, v := l.attn.Project(b, x)
	q, k = l.qk.Heads(b, q, k, spec.DimK)
	q, k = rotate(b, q, k, spec.DimK, rope)
	return l.close(b, x, l.attn.Attend(b, q, k, v, spec))
}

func (m *exaone4) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("exaone4", newExaone4) }
