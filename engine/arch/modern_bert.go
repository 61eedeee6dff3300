package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// ModernBERT (arXiv:2412.13663): an encoder with norms before attention and feed-forward block, as decoders have them, but none
// before the first attention, which reads the normed embedding. LayerNorm, rotary pairs (i, i + Dims/2), GeGLU, no biases; of
// every three layers the first sees the whole text and the others a window around each token, with a rotary base of their own.
// Granite's embedding models (arXiv:2508.21085) have SwiGLU.

type modernBERT struct {
	embd     *graph.Weight     // (NVocab rows of NEmbd)
	embdNorm graph.NormWeights // (NEmbd)
	layers   []modernLayer
	norm     graph.NormWeights   // (NEmbd), after the layers
	attn     graph.AttentionSpec // without the window
	windows  []int               // by layer; 0: everything
	rope     *graph.RopeSpec
	ropeSWA  *graph.RopeSpec // of layers with a window
}

type modernLayer struct {
	attnNorm *graph.NormWeights // (NEmbd); nil: none
	attn     blocks.QKV
	ffnNorm  graph.NormWeights // (NEmbd)
	ffn      blocks.FFN
}

func newModernBERT(s *source) architecture {
	s.norm = s.layerNorm
	m := &modernBERT{embd: s.matrix("token_embd.weight", s.NEmbd, s.NVocab), embdNorm: s.norm("token_embd_norm", s.NEmbd),
		norm: s.norm("output_norm", s.NEmbd), attn: s.attention(), windows: s.windowsDenseFirst(3), rope: s.rope(graph.RopeNeox, nil)}
	m.attn.Full = true
	m.ropeSWA = s.ropeSWA(m.rope, 10000)
	act := s.activation("hidden_activation", "gelu")
	for i := range s.NLayer {
		l := modernLayer{attn: s.qkv(i), ffnNorm: s.norm(name(i, "ffn_norm"), s.NEmbd), ffn: s.fusedGLU(i, act)}
		if s.has(name(i, "attn_norm.weight")) {
			n := s.norm(name(i, "attn_norm"), s.NEmbd)
			l.attnNorm = &n
		}
		m.layers = append(m.layers, l)
	}
	return m
}

func (m *modernBERT) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l, spec, rope, h := &m.layers[i], m.attn, m.rope, x
	if spec.Window = m.windows[i]; spec.Window > 0 {
		rope = m.ropeSWA
	}
	if l.attnNorm != nil {
		h = b.Name(b.Norm(x, *l.attnNorm), "attn_norm")
	}
	q, k, v := l.attn.Project(b, h)
	q, k = rotate(b, q, k, spec.DimK, rope)
	x = b.Name(b.Add(x, l.attn.Attend(b, q, k, v, spec)), "ffn_inp")
	h = b.Name(b.Norm(x, l.ffnNorm), "ffn_norm")
	return b.Name(b.Add(x, l.ffn.Apply(b, h)), "l_out")
}

func (m *modernBERT) forward() *graph.Graph {
	b := &graph.Builder{}
	x := b.Name(b.Norm(b.Embed(m.embd), m.embdNorm), "inp_norm")
	for i := range m.layers {
		b.SetLayer(i)
		x = m.block(b, x, i)
	}
	b.SetLayer(-1)
	return b.Finish(b.Select(b.Name(b.Norm(x, m.norm), "final_norm_out")), nil)
}

func init() { register("modern-bert", newModernBERT) }
