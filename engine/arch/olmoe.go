package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// OLMoE (arXiv:2409.02060): the plain decoder with rotary pairs (i, i + Dims/2), a norm over all heads of queries together and
// one over keys before the rotation, and a mixture of experts in every layer, whose weights are not divided by their sum.

type olmoe struct {
	*decoder
	qk []blocks.QKNorm // by layer; weights are (NHead·HeadDim) and (NHeadKV·HeadDim)
}

func newOLMoE(s *source) architecture {
	moe := s.experts()
	moe.Normalise = false
	return s.olmoe(s.mixture(moe, unscaled))
}

func (s *source) olmoe(ffn func(layer int) blocks.FFN) architecture {
	m := &olmoe{decoder: s.decoder(s.rope(graph.RopeNeox, nil), ffn)}
	for i := range s.NLayer {
		m.qk = append(m.qk, s.wholeNorm(i))
	}
	return m
}

func (m *olmoe) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q, k = m.qk[i].Whole(b, q, k)
	q, k = rotate(b, q, k, m.attn.DimK, m.rope)
	x = b.Name(b.Add(x, l.attn.Attend(b, q, k, v, m.attn)), "ffn_inp")
	return l.feedForward(b, x)
}

func (m *olmoe) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("olmoe", newOLMoE) }
