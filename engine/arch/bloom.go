package arch

import "github.com/llamakit/llamakit/engine/graph"

// BLOOM (arXiv:2211.05100): the plain decoder with LayerNorm, also of the embedding, an MLP with GELU, biases everywhere, and
// linear biases on the scores (ALiBi) instead of positions.

const bloomMaxBias = 8 // of ALiBi: files do not say it

type bloom struct {
	*decoder
	embdNorm graph.NormWeights // (NEmbd)
}

func newBloom(s *source) architecture {
	s.norm = s.layerNorm
	m := &bloom{s.decoder(nil, s.mlp(graph.GELU)), s.norm("token_embd_norm", s.NEmbd)}
	m.attn.ALiBi = bloomMaxBias
	return m
}

func (m *bloom) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	if i == 0 {
		x = b.Name(b.Norm(x, m.embdNorm), "inp_norm")
	}
	return m.decoder.block(b, x, i)
}

func (m *bloom) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("bloom", newBloom) }
