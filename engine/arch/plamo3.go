package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// PLaMo 3 (model card of pfnet/plamo-3-nict-8b-base): norms before and after both sub-layers, fused queries, keys and values, norms on
// their heads, rotary pairs (i, i + Dims/2), and the two matrices of SwiGLU in one tensor. Seven layers of eight slide, with a
// rotary base of their own that is never scaled.

type plamo3 struct {
	ends
	layers        []sandwich
	qk            []blocks.QKNorm     // by layer; weights are (HeadDim)
	attn          graph.AttentionSpec // without the window
	windows       []int               // by layer; 0: none
	rope, ropeSWA *graph.RopeSpec
}

func newPLaMo3(s *source) architecture {
	m := &plamo3{ends: s.ends(), attn: s.attention(), windows: s.windows(8), rope: s.rope(graph.RopeNeox, nil)}
	m.ropeSWA = s.ropeSWA(m.rope, 10000).Unscaled()
	for i := range s.NLayer {
		l := sandwich{
			preNorm:  s.preNorm(i, s.fusedGLU(i, graph.SiLU)),
			attnPost: graph.NormWeights{W: s.vector(name(i, "post_attention_norm"), s.NEmbd), Eps: s.NormEps}, // without .weight
			ffnPost:  graph.NormWeights{W: s.vector(name(i, "post_ffw_norm"), s.NEmbd), Eps: s.NormEps},
		}
		dropScales(&l.attn.Q, &l.attn.K, &l.attn.V)
		m.layers, m.qk = append(m.layers, l), append(m.qk, s.qkNorm(i))
	}
	return m
}

func (m *plamo3) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l, spec, rope := &m.layers[i], m.attn, m.rope
	if spec.Window = m.windows[i]; spec.Window > 0 {
		rope = m.ropeSWA
	}
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q, k = m.qk[i].Heads(b, q, k, spec.DimK)
	q, k = rotate(b, q, k, spec.DimK, rope)
	return l.close(b, x, l.attn.Attend(b, q, k, v, spec))
}

func (m *plamo3) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("plamo3", newPLaMo3) }
