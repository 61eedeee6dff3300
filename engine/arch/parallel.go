package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// parallel is the decoder whose attention and feed-forward block read the same rows, so that they can run side by side (Wang and
// Komatsuzaki 2021, GPT-J; PaLM, arXiv:2204.02311, section 2): in each layer
//
//	x += attention(h) + ffn(h), with h = norm(x)
type parallel struct{ *decoder }

// parallel binds a parallel decoder whose layers have the feed-forward block that ffn binds.
func (s *source) parallel(rope *graph.RopeSpec, ffn func(layer int) blocks.FFN) parallel {
	m := parallel{&decoder{ends: s.ends(), attn: s.attention(), rope: rope}}
	for i := range s.NLayer {
		m.layers = append(m.layers, preNorm{attnNorm: s.norm(name(i, "attn_norm"), s.NEmbd), attn: s.qkv(i), ffn: ffn(i)})
	}
	return m
}

func (m *parallel) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	return l.sum(b, x, l.attention(b, h, m.attn, m.rope), h)
}

// sum adds the attention's result and the feed-forward block of h to the stream.
func (l *preNorm) sum(b *graph.Builder, x, attn, h *graph.Tensor) *graph.Tensor {
	return b.Name(b.Add(b.Add(x, attn), l.ffn.Apply(b, h)), "l_out")
}

func (m *parallel) forward() *graph.Graph { return m.run(len(m.layers), m.block) }
