package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Muse Glimmer, text (model card of meta-models/Muse-Glimmer-30B): a norm without weights on the embedding, norms before and after both
// sub-layers, norms on the heads of queries and keys, a sigmoid gate on what attention found, and SwiGLU. Sliding layers rotate pairs
// (2i, 2i+1); the others see everything and have no rotary embedding. Logits have a scale and then a soft cap.

const museGlimmerPostEps = 1e-8 // of the norms after the sub-layers; no key says it

type museGlimmer struct {
	ends
	layers               []museGlimmerLayer
	attn                 graph.AttentionSpec // without the window
	windows              []int               // by layer; 0: none
	rope                 *graph.RopeSpec     // of the sliding layers
	eps                  float32
	logitScale, finalCap float32 // 0: none
}

type museGlimmerLayer struct {
	sandwich
	qk   blocks.QKNorm // weights are (HeadDim)
	gate blocks.OutputGate
}

func newMuseGlimmer(s *source) architecture {
	m := &museGlimmer{ends: s.ends(), attn: s.attention(), windows: s.windows(4), eps: s.NormEps}
	rope := s.rope(graph.RopeNorm, nil)
	m.rope = s.ropeSWA(rope, rope.Base).Unscaled()
	m.logitScale = float32(s.FloatOr("logit_scale", 0))
	m.finalCap = float32(s.FloatOr("final_logit_softcapping", 0))
	for i := range s.NLayer {
		l := museGlimmerLayer{sandwich: s.sandwich(i, s.glu(i, graph.SiLU, unscaled)), qk: s.qkNorm(i)}
		l.attnPost.Eps, l.ffnPost.Eps = museGlimmerPostEps, museGlimmerPostEps
		l.gate = s.outputGate(i, s.NHead*s.HeadDimV, graph.Sigmoid)
		m.layers = append(m.layers, l)
	}
	return m
}

func (m *museGlimmer) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l, spec := &m.layers[i], m.attn
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q, k = l.qk.Heads(b, q, k, spec.DimK)
	if spec.Window = m.windows[i]; spec.Window > 0 {
		q, k = rotate(b, q, k, spec.DimK, m.rope)
	}
	return l.close(b, x, l.gate.Attend(b, &l.attn, h, q, k, v, spec))
}

func (m *museGlimmer) forward() *graph.Graph {
	b := &graph.Builder{}
	x := b.Name(b.RMSNorm(b.Embed(m.embd), nil, m.eps), "inp_norm")
	for i := range m.layers {
		b.SetLayer(i)
		x = m.block(b, x, i)
	}
	hidden, logits := m.finish(b, x)
	logits = scale(b, logits, m.logitScale)
	if m.finalCap > 0 {
		logits = b.Name(b.SoftCap(logits, m.finalCap), "result_output_capped")
	}
	return b.Finish(hidden, logits)
}

func init() { register("muse-glimmer", newMuseGlimmer) }
