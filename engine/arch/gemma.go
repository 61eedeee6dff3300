package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Gemma (arXiv:2403.08295): the plain decoder with rotary pairs (i, i + Dims/2), embeddings times sqrt(NEmbd) and GeGLU, output
// tied to the embedding. The 1 + w of Gemma's norms is folded into the weights at conversion.

type gemma struct {
	*decoder
	embdSize float32
}

func newGemma(s *source) architecture {
	geGLU := func(i int) blocks.FFN { return s.glu(i, graph.GELU, unscaled) }
	return &gemma{s.decoder(s.rope(graph.RopeNeox, nil), geGLU), sqrt32(s.NEmbd)}
}

func (m *gemma) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	if i == 0 {
		x = b.Name(b.Scale(x, m.embdSize), "inp_scaled")
	}
	return m.decoder.block(b, x, i)
}

func (m *gemma) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("gemma", newGemma) }
