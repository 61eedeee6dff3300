package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// encoder is the post-norm encoder of BERT and those that vary it: rows see the whole text, and in each layer
//
//	h = norm(x + attention(x))
//	x = norm(h + ffn(h))
//
// It has no output matrix: its results are hidden states.
type encoder struct {
	embd      *graph.Weight     // (NVocab rows of NEmbd)
	types     []float32         // (NEmbd), of tokens of the first of two sentences: all tokens count as such; nil: none
	positions *graph.Weight     // (TrainContext rows of NEmbd); nil: none
	embdNorm  graph.NormWeights // (NEmbd)
	layers    []bertLayer
	attn      graph.AttentionSpec
	rope      *graph.RopeSpec // nil: none
}

// bertLayer are the weights of one layer.
type bertLayer struct {
	attn     blocks.QKV
	attnNorm graph.NormWeights // (NEmbd), after the first sum
	ffn      blocks.FFN
	ffnNorm  graph.NormWeights // (NEmbd), after the second
}

// encoder binds an encoder whose layers have the feed-forward block that ffn binds.
func (s *source) encoder(rope *graph.RopeSpec, ffn func(layer int) blocks.FFN) encoder {
	s.norm = s.layerNorm
	m := encoder{embd: s.matrix("token_embd.weight", s.NEmbd, s.NVocab), types: s.tokenType(),
		embdNorm: s.norm("token_embd_norm", s.NEmbd), attn: s.attention(), rope: rope}
	m.attn.Full = true
	for i := range s.NLayer {
		m.layers = append(m.layers, bertLayer{
			attn:     s.qkv(i),
			attnNorm: s.norm(name(i, "attn_output_norm"), s.NEmbd),
			ffn:      ffn(i),
			ffnNorm:  s.norm(name(i, "layer_output_norm"), s.NEmbd),
		})
	}
	return m
}

// tokenType binds the embedding of the first token type; nil where the file has none.
func (s *source) tokenType() []float32 {
	t, ok := s.file.Tensor("token_types.weight")
	if !ok {
		return nil
	}
	n := 1
	if len(t.Shape) > 1 {
		n = t.Shape[1]
	}
	if v := s.vector(t.Name, s.NEmbd, n); v != nil {
		return v[:s.NEmbd]
	}
	return nil
}

// embed records the embedding of tokens, types and positions.
func (m *encoder) embed(b *graph.Builder) *graph.Tensor {
	x := b.Embed(m.embd)
	if m.types != nil {
		x = b.AddVector(x, m.types)
	}
	if m.positions != nil {
		x = b.Add(x, b.EmbedPosition(m.positions))
	}
	return b.Name(b.Norm(b.Name(x, "inp_embd"), m.embdNorm), "inp_norm")
}

func (m *encoder) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	q, k, v := l.attn.Project(b, x)
	q, k = rotate(b, q, k, m.attn.DimK, m.rope)
	return l.close(b, x, l.attn.Attend(b, q, k, v, m.attn))
}

// close adds what attention found, and records the rest of a layer.
func (l *bertLayer) close(b *graph.Builder, x, attended *graph.Tensor) *graph.Tensor {
	h := b.Name(b.Norm(b.Add(attended, x), l.attnNorm), "attn_out_norm")
	return l.feedForward(b, h)
}

// feedForward records the second half of a layer.
func (l *bertLayer) feedForward(b *graph.Builder, h *graph.Tensor) *graph.Tensor {
	return b.Name(b.Norm(b.Add(l.ffn.Apply(b, h), h), l.ffnNorm), "l_out")
}

// run records embedding and layers. block records layer i.
func (m *encoder) run(block func(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor) *graph.Graph {
	b := &graph.Builder{}
	x := m.embed(b)
	for i := range m.layers {
		b.SetLayer(i)
		x = block(b, x, i)
	}
	b.SetLayer(-1)
	return b.Finish(b.Name(b.Select(x), "result_embd"), nil)
}

func (m *encoder) forward() *graph.Graph { return m.run(m.block) }
