package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Qwen3 (arXiv:2505.09388): qwen2 without biases, and with a norm on each head of queries and keys before the rotation.
// Qwen3-MoE has a mixture of experts in every layer. The text half of Qwen3-VL (arXiv:2511.21631) and the talker of Qwen3-TTS
// (arXiv:2601.15621) have rotary sections for time, height and width, which in text are all the same.

type qwen3 struct {
	decoder
	qk []blocks.QKNorm // by layer; weights are (HeadDim)
}

func newQwen3(s *source) architecture { return s.qwen3(s.swiGLU(scaled)) }

func newQwen3VL(s *source) architecture { return s.qwen3(s.swiGLU(unscaled)) }

func newQwen3MoE(s *source) architecture {
	moe := s.experts()
	return s.qwen3(func(i int) blocks.FFN { return s.moe(i, moe, scaled) })
}

func (s *source) qwen3(ffn func(layer int) blocks.FFN) architecture {
	m := &qwen3{decoder: s.decoder(s.rope(graph.RopeNeox, nil), ffn)}
	for i := range s.NLayer {
		m.qk = append(m.qk, s.qkNorm(i))
	}
	return m
}

func (m *qwen3) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.RMSNorm(x, l.attnNorm, m.eps), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q, k = m.qk[i].Heads(b, q, k, m.attn.DimK)
	q, k = rotate(b, q, k, m.attn.DimK, m.rope)
	x = b.Name(b.Add(x, l.attn.Attend(b, q, k, v, m.attn)), "ffn_inp")
	return l.feedForward(b, x, m.eps)
}

func (m *qwen3) forward() *graph.Graph { return m.run(len(m.layers), m.eps, m.block) }

func init() {
	register("qwen3", newQwen3)
	register("qwen3moe", newQwen3MoE)
	register("qwen3vl", newQwen3VL)
	register("qwen3tts", newQwen3VL)
}
