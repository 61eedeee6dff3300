package arch

import "github.com/llamakit/llamakit/engine/graph"

// SmolLM3 (model card of HuggingFaceTB/SmolLM3-3B): llama in which every fourth layer has no rotary embedding
// (NoPE, arXiv:2501.18795).

const smollm3NoPEStep = 4 // fixed in llama.cpp too: files do not say it

type smollm3 struct {
	ends
	layers []preNorm
	attn   graph.AttentionSpec
	rope   *graph.RopeSpec
	eps    float32
}

func newSmolLM3(s *source) architecture {
	m := &smollm3{ends: s.ends(), attn: s.attention(), rope: s.rope(graph.RopeNorm, nil), eps: s.NormEps}
	for i := range s.NLayer {
		m.layers = append(m.layers, s.preNorm(i, s.glu(i, graph.SiLU, unscaled)))
	}
	return m
}

func (m *smollm3) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.RMSNorm(x, l.attnNorm, m.eps), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	if (i+1)%smollm3NoPEStep != 0 {
		q = b.RoPE(q, m.attn.DimK, m.rope)
		k = b.RoPE(k, m.attn.DimK, m.rope)
	}
	x = b.Name(b.Add(x, l.attn.Attend(b, q, k, v, m.attn)), "ffn_inp")
	return l.feedForward(b, x, m.eps)
}

func (m *smollm3) forward() *graph.Graph { return m.run(len(m.layers), m.eps, m.block) }

func init() { register("smollm3", newSmolLM3) }
