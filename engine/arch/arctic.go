package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Arctic (Snowflake 2024, model card of Snowflake/snowflake-arctic-instruct): a dense decoder with a mixture of experts beside
// each layer. The dense part is llama's, with a feed-forward block as wide as the stream; the experts read the layer's input.
//
//	y = x + attention(RMSNorm(x))
//	x = y + ffn(RMSNorm(y)) + moe(RMSNorm(x))

type arctic struct {
	*decoder
	moeNorm []graph.NormWeights // by layer; (NEmbd)
	moe     []*blocks.MoE
}

func newArctic(s *source) architecture {
	dense := func(i int) blocks.FFN { return s.gluNamed(i, "", s.NEmbd, graph.SiLU, unscaled) }
	m := &arctic{decoder: s.decoder(s.rope(graph.RopeNorm, nil), dense)}
	e := s.experts()
	for i := range s.NLayer {
		m.moeNorm = append(m.moeNorm, s.norm(name(i, "ffn_norm_exps"), s.NEmbd))
		m.moe = append(m.moe, s.moe(i, e, unscaled))
	}
	return m
}

func (m *arctic) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	y := m.decoder.block(b, x, i)
	h := b.Name(b.Norm(x, m.moeNorm[i]), "ffn_norm_exps")
	return b.Name(b.Add(y, m.moe[i].Apply(b, h)), "l_out")
}

func (m *arctic) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("arctic", newArctic) }
