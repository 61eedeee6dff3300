package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// decoder is the plain pre-norm decoder that most architectures vary: in each layer
//
//	x += attention(RMSNorm(x)), with rotary embedding on queries and keys
//	x += ffn(RMSNorm(x))
type decoder struct {
	ends
	layers []preNorm
	attn   graph.AttentionSpec
	rope   *graph.RopeSpec
	eps    float32
}

// preNorm are the weights of one layer.
type preNorm struct {
	attnNorm []float32 // (NEmbd)
	attn     blocks.QKV
	ffnNorm  []float32 // (NEmbd)
	ffn      blocks.FFN
}

// decoder binds a decoder whose layers have the feed-forward block that ffn binds.
func (s *source) decoder(rope *graph.RopeSpec, ffn func(layer int) blocks.FFN) decoder {
	m := decoder{ends: s.ends(), attn: s.attention(), rope: rope, eps: s.NormEps}
	for i := range s.NLayer {
		m.layers = append(m.layers, s.preNorm(i, ffn(i)))
	}
	return m
}

func (s *source) preNorm(i int, ffn blocks.FFN) preNorm {
	return preNorm{
		attnNorm: s.vector(name(i, "attn_norm.weight"), s.NEmbd),
		attn:     s.qkv(i),
		ffnNorm:  s.vector(name(i, s.ffnNorm+".weight"), s.NEmbd),
		ffn:      ffn,
	}
}

func (m *decoder) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	return m.layer(b, x, i, m.rope)
}

// layer records layer i with the rotary embedding rope; nil: none (NoPE, arXiv:2305.19466).
func (m *decoder) layer(b *graph.Builder, x *graph.Tensor, i int, rope *graph.RopeSpec) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.RMSNorm(x, l.attnNorm, m.eps), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q, k = rotate(b, q, k, m.attn.DimK, rope)
	x = b.Name(b.Add(x, l.attn.Attend(b, q, k, v, m.attn)), "ffn_inp")
	return l.feedForward(b, x, m.eps)
}

// rotate gives the heads of queries and keys the rotary embedding rope; nil: none.
func rotate(b *graph.Builder, q, k *graph.Tensor, dim int, rope *graph.RopeSpec) (*graph.Tensor, *graph.Tensor) {
	if rope == nil {
		return q, k
	}
	return b.RoPE(q, dim, rope), b.RoPE(k, dim, rope)
}

// feedForward records the second half of a layer.
func (l *preNorm) feedForward(b *graph.Builder, x *graph.Tensor, eps float32) *graph.Tensor {
	h := b.Name(b.RMSNorm(x, l.ffnNorm, eps), "ffn_norm")
	return b.Name(b.Add(x, l.ffn.Apply(b, h)), "l_out")
}

func (m *decoder) forward() *graph.Graph { return m.run(len(m.layers), m.eps, m.block) }
