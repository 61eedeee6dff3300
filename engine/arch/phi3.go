package arch

import "github.com/llamakit/llamakit/engine/graph"

// Phi-3 (arXiv:2404.14219): qwen2's rotary pairs, attention and SwiGLU matrices fused in one tensor each, and longrope
// (arXiv:2402.13753): one set of divisors of the angles up to the original context, another beyond. The choice hangs on
// the context that the model was opened with, so that no token's key changes when a sequence grows.

type phi3 struct {
	ends
	layers []preNorm
	attn   graph.AttentionSpec
	rope   *graph.RopeSpec
	eps    float32
}

func newPhi3(s *source) architecture {
	m := &phi3{ends: s.ends(), attn: s.attention(), eps: s.NormEps}
	m.rope = s.rope(graph.RopeNeox, s.longropeFactors())
	m.out.Bias = s.vectorOr("output.bias", s.NVocab)
	for i := range s.NLayer {
		m.layers = append(m.layers, s.preNorm(i, s.fusedGLU(i, graph.SiLU)))
	}
	return m
}

func (m *phi3) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.RMSNorm(x, l.attnNorm, m.eps), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q = b.RoPE(q, m.attn.DimK, m.rope)
	k = b.RoPE(k, m.attn.DimK, m.rope)
	x = b.Name(b.Add(x, l.attn.Attend(b, q, k, v, m.attn)), "ffn_inp")
	return l.feedForward(b, x, m.eps)
}

func (m *phi3) forward() *graph.Graph { return m.run(len(m.layers), m.eps, m.block) }

func init() { register("phi3", newPhi3) }
