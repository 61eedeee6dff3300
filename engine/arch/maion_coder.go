package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Maion Coder (llama.cpp's src/models/maion-coder.cpp): norms before and after each sub-layer, norms on the heads of queries and keys,
// rotary pairs (i, i + Dims/2) in sliding layers and none in the others, and in every step-th layer experts that work in a narrower
// space. Feed-forward widths differ by layer.

type maionCoder struct {
	ends
	layers  []maionLayer
	attn    graph.AttentionSpec // without the window
	windows []int               // by layer; 0: none
	rope    *graph.RopeSpec     // of the sliding layers
}

type maionLayer struct {
	sandwich
	qk blocks.QKNorm // weights are (HeadDim)
}

func newMaionCoder(s *source) architecture {
	m := &maionCoder{ends: s.ends(), attn: s.attention(), windows: s.windows(4), rope: s.rope(graph.RopeNeox, nil)}
	moe, step, latent := s.experts(), s.layerStep("interleave_moe_layer_step"), s.IntIn("moe_latent_size", 1, maxWidth)
	widths := s.IntsOrScalarOr("expert_feed_forward_length", s.NBlock(), 0)
	if s.err() != nil {
		return m
	}
	for i := range s.NLayer {
		l := maionLayer{qk: s.qkNorm(i)}
		if moe.NFF = widths[i]; (i+1)%step == 0 {
			l.sandwich = s.sandwich(i, s.latentMoE(i, latent, moe))
		} else {
			l.sandwich = s.sandwich(i, s.glu(i, graph.SiLU, unscaled))
		}
		m.layers = append(m.layers, l)
	}
	return m
}

func (s *source) latentMoE(i, latent int, e experts) blocks.FFN {
	m := s.moeNamed(i, "_exps", latent, e, unscaled)
	m.Router = s.ffn(name(i, "ffn_gate_inp"), s.NEmbd, e.N, unscaled)
	return &blocks.LatentMoE{
		MoE:  m,
		Down: s.ffn(name(i, "ffn_latent_down"), s.NEmbd, latent, unscaled),
		Up:   s.ffn(name(i, "ffn_latent_up"), latent, s.NEmbd, unscaled),
	}
}

func (m *maionCoder) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l, spec := &m.layers[i], m.attn
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q, k = l.qk.Heads(b, q, k, spec.DimK)
	if spec.Window = m.windows[i]; spec.Window > 0 {
		q, k = rotate(b, q, k, spec.DimK, m.rope)
	}
	return l.close(b, x, l.attn.Attend(b, q, k, v, spec))
}

func (m *maionCoder) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("maion-coder", newMaionCoder) }
