package arch

import "github.com/llamakit/llamakit/engine/graph"

// Qwen3 (arXiv:2505.09388): qwen2 without biases, and with a norm on each head of queries and keys before the rotation.
// Qwen3-MoE has a mixture of experts in every layer.

type qwen3 struct {
	ends
	layers []qwen3Layer
	attn   graph.AttentionSpec
	rope   *graph.RopeSpec
	eps    float32
}

type qwen3Layer struct {
	preNorm
	qNorm, kNorm []float32 // (HeadDim)
}

func newQwen3(s *source) architecture {
	m := &qwen3{ends: s.ends(), attn: s.attention(), rope: s.rope(graph.RopeNeox, nil), eps: s.NormEps}
	for i := range s.NLayer {
		m.layers = append(m.layers, qwen3Layer{preNorm: s.preNorm(i, s.glu(i, graph.SiLU, scaled))})
		m.bindNorms(s, i)
	}
	return m
}

func newQwen3MoE(s *source) architecture {
	m := &qwen3{ends: s.ends(), attn: s.attention(), rope: s.rope(graph.RopeNeox, nil), eps: s.NormEps}
	moe := s.experts()
	for i := range s.NLayer {
		m.layers = append(m.layers, qwen3Layer{preNorm: s.preNorm(i, s.moe(i, moe, scaled))})
		m.bindNorms(s, i)
	}
	return m
}

func (m *qwen3) bindNorms(s *source, i int) {
	m.layers[i].qNorm = s.vector(name(i, "attn_q_norm.weight"), s.HeadDim)
	m.layers[i].kNorm = s.vector(name(i, "attn_k_norm.weight"), s.HeadDim)
}

func (m *qwen3) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.RMSNorm(x, l.attnNorm, m.eps), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q = b.Name(b.HeadNorm(q, l.qNorm, m.eps, m.attn.DimK), "Qcur_normed")
	k = b.Name(b.HeadNorm(k, l.kNorm, m.eps, m.attn.DimK), "Kcur_normed")
	q = b.RoPE(q, m.attn.DimK, m.rope)
	k = b.RoPE(k, m.attn.DimK, m.rope)
	x = b.Name(b.Add(x, l.attn.Attend(b, q, k, v, m.attn)), "ffn_inp")
	return l.feedForward(b, x, m.eps)
}

func (m *qwen3) forward() *graph.Graph { return m.run(len(m.layers), m.eps, m.block) }

func init() {
	register("qwen3", newQwen3)
	register("qwen3moe", newQwen3MoE)
}
