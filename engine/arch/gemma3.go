package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Gemma 3, text (arXiv:2503.19786): gemma2 with norms on the heads of queries and keys instead of the soft cap of the
// scores, five sliding layers to one that sees everything, and another rotary base, never scaled, on the sliding ones.

type gemma3 struct {
	gemma2
	qk []blocks.QKNorm // by layer; weights are (HeadDim)
}

func newGemma3(s *source) architecture { return s.gemma3() }

func (s *source) gemma3() *gemma3 {
	m := &gemma3{gemma2: gemma2{ends: s.ends(), attn: s.attention(), windows: s.windows(6), embdSize: sqrt32(s.NEmbd)}}
	m.rope = s.rope(graph.RopeNeox, nil)
	m.ropeSWA = s.ropeSWA(m.rope, 10000)
	m.ropeSWA.Linear, m.ropeSWA.Yarn = 0, nil
	m.finalCap = float32(s.FloatOr("final_logit_softcapping", 0))
	if s.NLayer == 62 { // Gemma 3 27B, as gemma2's
		m.attn.Scale = 1 / sqrt32(s.NEmbd/s.NHead)
	}
	for i := range s.NLayer {
		m.layers = append(m.layers, s.sandwich(i, s.glu(i, graph.GELU, unscaled)))
		m.qk = append(m.qk, s.qkNorm(i))
	}
	return m
}

func (m *gemma3) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
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

func (m *gemma3) forward() *graph.Graph { return m.record(m.block) }

func init() { register("gemma3", newGemma3) }
