package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// OpenELM (arXiv:2404.14619): layers of different width. Each has its own number of heads and its own feed-forward width, growing from
// the first layer to the last; heads all have the same size. Rotary pairs (i, i + Dims/2), norms on the heads of queries and keys, fused
// queries, keys and values, SwiGLU, output tied to the embedding.

type openelm struct {
	ends
	layers []openelmLayer
	rope   *graph.RopeSpec
}

type openelmLayer struct {
	preNorm
	spec graph.AttentionSpec
	qk   blocks.QKNorm // weights are (HeadDim)
}

func newOpenELM(s *source) architecture {
	m := &openelm{ends: s.ends(), rope: s.rope(graph.RopeNeox, nil)}
	for i := range s.NLayer {
		l := openelmLayer{preNorm: s.preNorm(i, s.glu(i, graph.SiLU, unscaled)), spec: s.attentionOf(i), qk: s.qkNorm(i)}
		dropScales(&l.attn.Q, &l.attn.K, &l.attn.V)
		m.layers = append(m.layers, l)
	}
	return m
}

func (m *openelm) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q, k = l.qk.Heads(b, q, k, l.spec.DimK)
	q, k = rotate(b, q, k, l.spec.DimK, m.rope)
	x = b.Name(b.Add(x, l.attn.Attend(b, q, k, v, l.spec)), "ffn_inp")
	return l.feedForward(b, x)
}

func (m *openelm) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("openelm", newOpenELM) }
