package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// OLMo 2 and OLMo 3 (arXiv:2501.00656, 2512.13961): norms after the sub-layers instead of before,
//
//	x += RMSNorm(attention(x))
//	x += RMSNorm(ffn(x))
//
// norms over all heads of queries, and of keys, together, rotary pairs (i, i + Dims/2) and SwiGLU. OLMo 3 has sliding windows in three
// layers of four, whose rotary embedding is never scaled.

type olmo2 struct {
	ends
	layers  []postNorm
	attn    graph.AttentionSpec // without the window
	windows []int               // by layer; 0: none
	rope    *graph.RopeSpec
	ropeSWA *graph.RopeSpec // of the sliding layers
}

// postNorm are the weights of a layer with norms after both sub-layers.
type postNorm struct {
	attn              blocks.QKV
	qk                blocks.QKNorm
	ffn               blocks.FFN
	attnPost, ffnPost graph.NormWeights // (NEmbd)
}

func (s *source) postNorm(i int, qk blocks.QKNorm) postNorm {
	return postNorm{
		attn: s.qkv(i), qk: qk, ffn: s.glu(i, graph.SiLU, unscaled),
		attnPost: s.norm(name(i, "post_attention_norm"), s.NEmbd),
		ffnPost:  s.norm(name(i, "post_ffw_norm"), s.NEmbd),
	}
}

// close adds the attention's result to the stream and records the second half of the layer.
func (l *postNorm) close(b *graph.Builder, x, attn *graph.Tensor) *graph.Tensor {
	x = b.Name(b.Add(x, b.Name(b.Norm(attn, l.attnPost), "attn_post_norm")), "ffn_inp")
	h := b.Name(b.Norm(l.ffn.Apply(b, x), l.ffnPost), "ffn_post_norm")
	return b.Name(b.Add(x, h), "l_out")
}

func newOLMo2(s *source) architecture {
	m := &olmo2{ends: s.ends(), attn: s.attention(), windows: s.windows(4), rope: s.rope(graph.RopeNeox, nil)}
	m.ropeSWA = m.rope.Unscaled()
	for i := range s.NLayer {
		m.layers = append(m.layers, s.postNorm(i, s.wholeNorm(i)))
	}
	return m
}

func (m *olmo2) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l, spec, rope := &m.layers[i], m.attn, m.rope
	if spec.Window = m.windows[i]; spec.Window > 0 {
		rope = m.ropeSWA
	}
	q, k, v := l.attn.Project(b, x)
	q, k = l.qk.Whole(b, q, k)
	q, k = rotate(b, q, k, spec.DimK, rope)
	return l.close(b, x, l.attn.Attend(b, q, k, v, spec))
}

func (m *olmo2) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("olmo2", newOLMo2) }
