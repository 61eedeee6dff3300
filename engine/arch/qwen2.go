package arch

import "github.com/llamakit/llamakit/engine/graph"

// Qwen2 and Qwen2.5 (arXiv:2407.10671, 2412.15115): llama with rotary pairs (i, i + Dims/2) and biases on queries, keys and
// values.

type qwen2 struct {
	ends
	layers []preNorm
	attn   graph.AttentionSpec
	rope   *graph.RopeSpec
	eps    float32
}

func newQwen2(s *source) architecture {
	m := &qwen2{ends: s.ends(), attn: s.attention(), rope: s.rope(graph.RopeNeox, nil), eps: s.NormEps}
	m.out.Bias = s.vectorOr("output.bias", s.NVocab)
	for i := range s.NLayer {
		m.layers = append(m.layers, s.preNorm(i, s.glu(i, graph.SiLU, unscaled)))
	}
	return m
}

func (m *qwen2) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.RMSNorm(x, l.attnNorm, m.eps), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q = b.RoPE(q, m.attn.DimK, m.rope)
	k = b.RoPE(k, m.attn.DimK, m.rope)
	x = b.Name(b.Add(x, l.attn.Attend(b, q, k, v, m.attn)), "ffn_inp")
	return l.feedForward(b, x, m.eps)
}

func (m *qwen2) forward() *graph.Graph { return m.run(len(m.layers), m.eps, m.block) }

func init() { register("qwen2", newQwen2) }
