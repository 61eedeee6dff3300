package arch

import "github.com/llamakit/llamakit/engine/graph"

// Llama 1 to 3 (arXiv:2302.13971, 2307.09288, 2407.21783), Mistral and Mixtral: pre-norm layers, rotary pairs (2i, 2i+1),
// SwiGLU, or a mixture of SwiGLU experts. Llama 3.1 and later divide the rotary angles by the factors of rope_freqs.

type llama struct {
	ends
	layers []preNorm
	attn   graph.AttentionSpec
	rope   *graph.RopeSpec
	eps    float32
}

func newLlama(s *source) architecture {
	m := &llama{ends: s.ends(), attn: s.attention(), eps: s.NormEps}
	m.rope = s.rope(graph.RopeNorm, s.ropeFactors())
	moe := s.experts()
	moe.NFF = s.NFF // no key of its own here
	for i := range s.NLayer {
		if moe.N > 0 {
			m.layers = append(m.layers, s.preNorm(i, s.moe(i, moe, scaled)))
		} else {
			m.layers = append(m.layers, s.preNorm(i, s.glu(i, graph.SiLU, scaled)))
		}
	}
	return m
}

func (m *llama) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.RMSNorm(x, l.attnNorm, m.eps), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q = b.RoPE(q, m.attn.DimK, m.rope)
	k = b.RoPE(k, m.attn.DimK, m.rope)
	x = b.Name(b.Add(x, l.attn.Attend(b, q, k, v, m.attn)), "ffn_inp")
	return l.feedForward(b, x, m.eps)
}

func (m *llama) forward() *graph.Graph { return m.run(len(m.layers), m.eps, m.block) }

func init() { register("llama", newLlama) }
