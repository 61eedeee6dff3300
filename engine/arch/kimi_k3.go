package arch

import (
	"slices"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Kimi K3 (llama.cpp's src/models/kimi-k3.cpp): the layers of Kimi Linear with a bounded decay, a sigmoid gate on latent attention, SiTU in
// feed-forward blocks, and experts in a latent space. In place of the residual sum it has attention residuals by blocks of layers
// (arXiv:2603.15031): what a part reads is attention over the inputs of the blocks so far and the sum within the block,
//
//	x = first of a block ? mix(attend(x)) : x + mix(attend(x))
//	x += ffn(attend(x))

type kimiK3 struct {
	*hybrid
	scores []residualScores // by layer
	last   []float32        // (NEmbd) of the norm before the output
	block  int              // layers a block
	eps    float32
}

// residualScores are the weights that attention over residuals scores by, (NEmbd).
type residualScores struct{ mix, ffn []float32 }

func newKimiK3(s *source) architecture {
	p, ffn := s.latent(), s.situMoE()
	m := &kimiK3{block: s.IntIn("attn_res.block_size", 1, maxLayers), last: s.vector("output_res_score.weight", s.NEmbd), eps: s.NormEps}
	for i := range s.NLayer {
		m.scores = append(m.scores, residualScores{s.vector(name(i, "attn_res_score.weight"), s.NEmbd), s.vector(name(i, "ffn_res_score.weight"), s.NEmbd)})
	}
	m.hybrid = s.hybrid(s.ends(), func(i int) mixer {
		if s.recurrent(i) {
			return s.boundKDA(i)
		}
		m := s.mla(i, p)
		gate := s.outputGate(i, m.Heads*m.DimV, graph.Sigmoid)
		m.Gate, m.Out.Scale = &gate, nil
		return m
	}, ffn)
	return m
}

// situMoE binds the feed-forward blocks.
func (s *source) situMoE() func(layer int) blocks.FFN {
	moe, lead, latent := s.routedExperts(graph.GateSigmoid), s.IntOr("leading_dense_block_count", 0), s.IntIn("expert_latent_length", 1, maxWidth)
	beta, limit := float32(s.Float("activation.situ_beta")), float32(max(0, s.FloatOr("activation.situ_linear_beta", 0)))
	moe.Act = graph.SiTU
	bound := func(f *blocks.GLU) *blocks.GLU {
		f.Beta, f.Limit = beta, limit
		return f
	}
	return func(i int) blocks.FFN {
		if i < lead {
			return bound(s.glu(i, moe.Act, unscaled))
		}
		m := s.moeNamed(i, "_exps", latent, moe, unscaled)
		m.Router, m.Route.Bias = s.ffn(name(i, "ffn_gate_inp"), s.NEmbd, moe.N, unscaled), s.choosingBias(i, moe.N)
		m.Experts.Beta, m.Experts.Limit = beta, limit
		norm := s.rmsNorm(name(i, "ffn_routed_norm"), latent)
		routed := &blocks.LatentMoE{MoE: m, Down: s.ffn(name(i, "ffn_routed_down"), s.NEmbd, latent, unscaled), Norm: &norm,
			Up: s.ffn(name(i, "ffn_routed_up"), latent, s.NEmbd, unscaled)}
		shared := s.shared(i, moe.Act, unscaled)
		if shared == nil {
			return routed
		}
		return &blocks.Shared{MoE: routed, Expert: bound(shared)}
	}
}

func (m *kimiK3) forward() *graph.Graph {
	var bank []*graph.Tensor // inputs of the blocks of layers so far
	attend := func(b *graph.Builder, x *graph.Tensor, w []float32) *graph.Tensor {
		if len(bank) == 0 {
			return x
		}
		return b.ResidualAttention(append(slices.Clone(bank), x), w, m.eps)
	}
	return m.run(len(m.layers), func(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
		l, scores := &m.layers[i], &m.scores[i]
		y := l.mix.Apply(b, b.Name(b.Norm(attend(b, x, scores.mix), l.mixNorm), "attn_norm"))
		if i%m.block == 0 {
			bank, x = append(bank, x), y
		} else {
			x = b.Add(x, y)
		}
		h := b.Norm(attend(b, b.Name(x, "ffn_inp"), scores.ffn), l.ffnNorm)
		x = b.Name(b.Add(x, l.ffn.Apply(b, b.Name(h, "ffn_norm"))), "l_out")
		if i == len(m.layers)-1 {
			x = attend(b, x, m.last)
		}
		return x
	})
}

func init() { register("kimi-k3", newKimiK3) }
