package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// StableLM 2 (arXiv:2402.17834): the plain decoder with LayerNorm, rotary pairs (i, i + Dims/2) on a part of each head and SwiGLU.
// The 12B is the parallel decoder, with norms on the heads of queries and keys that have weights of their own for each head.

type stableLM struct {
	*decoder
	qk []blocks.QKNorm // by layer; nil: none
}

func newStableLM(s *source) architecture {
	s.norm = s.layerNorm
	rope, ffn := s.rope(graph.RopeNeox, nil), s.swiGLU(unscaled)
	if s.has(name(0, s.ffnNorm+".weight")) {
		return &stableLM{s.decoder(rope, ffn), s.headNorms()}
	}
	return &commandR{parallel: s.parallel(rope, ffn), qk: s.headNorms()}
}

func (m *stableLM) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	q, k, v := l.attn.Project(b, b.Name(b.Norm(x, l.attnNorm), "attn_norm"))
	if m.qk != nil {
		q, k = m.qk[i].Heads(b, q, k, m.attn.DimK)
	}
	q, k = rotate(b, q, k, m.attn.DimK, m.rope)
	x = b.Name(b.Add(x, l.attn.Attend(b, q, k, v, m.attn)), "ffn_inp")
	return l.feedForward(b, x)
}

func (m *stableLM) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("stablelm", newStableLM) }
