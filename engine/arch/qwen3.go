package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Qwen3 (arXiv:2505.09388): qwen2 without biases, and with a norm on each head of queries and keys before the rotation.
// Qwen3-MoE has a mixture of experts in every layer. The text half of Qwen3-VL (arXiv:2511.21631) has rotary sections for
// time, height and width, which in text are all the same.

type qwen3 struct {
	*decoder
	qk []blocks.QKNorm // by layer; weights are (HeadDim)
}

func newQwen3(s *source) architecture { return s.qwen3(s.swiGLU(scaled)) }

func newQwen3VL(s *source) architecture { return s.qwen3(s.swiGLU(unscaled)) }

func newQwen3MoE(s *source) architecture { return s.qwen3(s.mixture(s.experts(), scaled)) }

func newQwen3VLMoE(s *source) architecture { return s.qwen3(s.mixture(s.experts(), unscaled)) }

func (s *source) qwen3(ffn func(layer int) blocks.FFN) *qwen3 {
	m := &qwen3{decoder: s.decoder(s.rope(graph.RopeNeox, nil), ffn)}
	for i := range s.NLayer {
		m.qk = append(m.qk, s.qkNorm(i))
	}
	return m
}

func (m *qwen3) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	return m.layer(b, x, i, m.attn, m.rope)
}

// layer records layer i with its own attention and rotary embedding; nil: none.
func (m *qwen3) layer(b *graph.Builder, x *graph.Tensor, i int, spec graph.AttentionSpec, rope *graph.RopeSpec) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q, k = m.qk[i].Heads(b, q, k, spec.DimK)
	q, k = rotate(b, q, k, spec.DimK, rope)
	x = b.Name(b.Add(x, l.attn.Attend(b, q, k, v, spec)), "ffn_inp")
	return l.feedForward(b, x)
}

func (m *qwen3) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() {
	register("qwen3", newQwen3)
	register("qwen3moe", newQwen3MoE)
	register("qwen3vl", newQwen3VL)
	register("qwen3vlmoe", newQwen3VLMoE)
}
