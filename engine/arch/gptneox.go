package arch

import "github.com/llamakit/llamakit/engine/graph"

// GPT-NeoX (arXiv:2204.06745) and Pythia (arXiv:2304.01373): LayerNorm, rotary pairs (i, i + Dims/2) on a part of each head and
// an MLP with GELU, biases everywhere. Attention and MLP read the same rows, each through a norm of its own,
//
//	x += attention(norm1(x)) + ffn(norm2(x))
//
// unless use_parallel_residual is false: then it is the plain decoder.

type gptNeoX struct{ *decoder }

func newGPTNeoX(s *source) architecture {
	s.norm = s.layerNorm
	m := s.decoder(s.rope(graph.RopeNeox, nil), s.mlp(graph.GELU))
	if s.Bool("use_parallel_residual") {
		return &gptNeoX{m}
	}
	return m
}

func (m *gptNeoX) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	attn := l.attention(b, b.Name(b.Norm(x, l.attnNorm), "attn_norm"), m.attn, m.rope)
	return l.sum(b, x, attn, b.Name(b.Norm(x, l.ffnNorm), "ffn_norm"))
}

func (m *gptNeoX) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("gptneox", newGPTNeoX) }
