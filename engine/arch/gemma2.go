package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Gemma 2 (arXiv:2408.00118): embeddings times sqrt(NEmbd), norms before and after each sub-layer, GeGLU, every other layer
// with a sliding window, soft caps on attention scores and on logits, output tied to the embedding. The 1 + w of Gemma's
// norms is folded into the weights at conversion.

type gemma2 struct {
	ends
	layers   []sandwich
	attn     graph.AttentionSpec // without the window
	windows  []int               // by layer; 0: none
	rope     *graph.RopeSpec
	ropeSWA  *graph.RopeSpec // of the sliding layers
	embdSize float32
	finalCap float32
}

// sandwich are the weights of a layer with norms around both sub-layers.
type sandwich struct {
	preNorm
	attnPost, ffnPost graph.NormWeights // (NEmbd)
}

func (s *source) sandwich(i int, ffn blocks.FFN) sandwich {
	return sandwich{
		preNorm:  s.preNorm(i, ffn),
		attnPost: s.norm(name(i, "post_attention_norm"), s.NEmbd),
		ffnPost:  s.norm(name(i, "post_ffw_norm"), s.NEmbd),
	}
}

func newGemma2(s *source) architecture {
	m := &gemma2{ends: s.ends(), attn: s.attention(), windows: s.windows(2), embdSize: sqrt32(s.NEmbd)}
	m.rope = s.rope(graph.RopeNeox, nil)
	m.ropeSWA = s.ropeSWA(m.rope, m.rope.Base)
	m.attn.Cap = float32(s.FloatOr("attn_logit_softcapping", 50))
	m.finalCap = float32(s.FloatOr("final_logit_softcapping", 30))
	if s.NLayer == 46 { // Gemma 2 27B scales queries by NEmbd/NHead, and no key says so
		m.attn.Scale = 1 / sqrt32(s.NEmbd/s.NHead)
	}
	for i := range s.NLayer {
		m.layers = append(m.layers, s.sandwich(i, s.glu(i, graph.GELU, unscaled)))
	}
	return m
}

func (m *gemma2) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l, spec, rope := &m.layers[i], m.attn, m.rope
	if spec.Window = m.windows[i]; spec.Window > 0 {
		rope = m.ropeSWA
	}
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q = b.RoPE(q, spec.DimK, rope)
	k = b.RoPE(k, spec.DimK, rope)
	return l.close(b, x, l.attn.Attend(b, q, k, v, spec))
}

// close adds the attention's result to the stream and records the second half of the layer.
func (l *sandwich) close(b *graph.Builder, x, attn *graph.Tensor) *graph.Tensor {
	x = b.Name(b.Add(x, b.Name(b.Norm(attn, l.attnPost), "attn_post_norm")), "sa_out")
	h := b.Name(b.Norm(x, l.ffnNorm), "ffn_norm")
	h = b.Name(b.Norm(l.ffn.Apply(b, h), l.ffnPost), "ffn_post_norm")
	return b.Name(b.Add(x, h), "l_out")
}

func (m *gemma2) forward() *graph.Graph { return m.record(m.block) }

// record records embedding, layers and output; gemma3 has its own block.
func (m *gemma2) record(block func(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor) *graph.Graph {
	b := &graph.Builder{}
	x := b.Name(b.Scale(b.Embed(m.embd), m.embdSize), "inp_scaled")
	for i := range m.layers {
		b.SetLayer(i)
		x = block(b, x, i)
	}
	hidden, logits := m.finish(b, x)
	if m.finalCap > 0 {
		logits = b.Name(b.SoftCap(logits, m.finalCap), "result_output_capped")
	}
	return b.Finish(hidden, logits)
}

func init() { register("gemma2", newGemma2) }
