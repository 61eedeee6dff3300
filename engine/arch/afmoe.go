package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Trinity (arXiv:2602.17004), architecture AFMoE: embeddings times sqrt(NEmbd), norms before and
// after each sub-layer, norms on the heads of queries and keys, a sigmoid gate on what attention found, and DeepSeek-V3's experts.
// Three layers of four have a sliding window and rotary pairs (i, i + Dims/2); the fourth sees everything and has no rotary embedding.

const afmoeNoPEStep = 4 // fixed in llama.cpp too: files do not say it

type afmoe struct {
	ends
	layers   []afmoeLayer
	attn     graph.AttentionSpec // without the window
	windows  []int               // by layer; 0: none
	rope     *graph.RopeSpec
	ropeSWA  *graph.RopeSpec // of the sliding layers
	embdSize float32
}

type afmoeLayer struct {
	sandwich
	qk   blocks.QKNorm // weights are (HeadDim)
	gate blocks.OutputGate
}

func newAFMoE(s *source) architecture {
	m := &afmoe{ends: s.ends(), attn: s.attention(), windows: s.windows(4), rope: s.rope(graph.RopeNeox, nil), embdSize: sqrt32(s.NEmbd)}
	m.ropeSWA = s.ropeSWA(m.rope, m.rope.Base)
	ffn := s.deepSeekMoE(s.routedExperts(graph.GateSigmoid), unscaled)
	for i := range s.NLayer {
		m.layers = append(m.layers, afmoeLayer{
			sandwich: s.sandwich(i, ffn(i)),
			qk:       s.qkNorm(i),
			gate:     s.outputGate(i, s.NHead*s.HeadDimV, graph.Sigmoid),
		})
	}
	return m
}

func (m *afmoe) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l, spec, rope := &m.layers[i], m.attn, m.rope
	if i == 0 {
		x = b.Name(b.Scale(x, m.embdSize), "inp_scaled")
	}
	if spec.Window = m.windows[i]; spec.Window > 0 {
		rope = m.ropeSWA
	}
	if (i+1)%afmoeNoPEStep == 0 {
		rope = nil
	}
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q, k = l.qk.Heads(b, q, k, spec.DimK)
	q, k = rotate(b, q, k, spec.DimK, rope)
	return l.close(b, x, l.gate.Attend(b, &l.attn, h, q, k, v, spec))
}

func (m *afmoe) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("afmoe", newAFMoE) }
