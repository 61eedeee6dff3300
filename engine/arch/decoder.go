package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// decoder is the plain pre-norm decoder that most architectures vary: in each layer
//
//	x += attention(norm(x)), with rotary embedding on queries and keys
//	x += ffn(norm(x))
type decoder struct {
	ends
	layers []preNorm
	attn   graph.AttentionSpec
	rope   *graph.RopeSpec // nil: none
}

// preNorm are the weights of one layer.
type preNorm struct {
	attnNorm graph.NormWeights // (NEmbd)
	attn     blocks.QKV
	ffnNorm  graph.NormWeights // (NEmbd)
	ffn      blocks.FFN
}

// decoder binds a decoder whose layers have the feed-forward block that ffn binds.
func (s *source) decoder(rope *graph.RopeSpec, ffn func(layer int) blocks.FFN) *decoder {
	m := &decoder{ends: s.ends(), attn: s.attention(), rope: rope}
	for i := range s.NLayer {
		m.layers = append(m.layers, s.preNorm(i, ffn(i)))
	}
	return m
}

// clampQKV bounds queries, keys and values; 0: not.
func (m *decoder) clampQKV(limit float32) {
	for i := range m.layers {
		m.layers[i].attn.Clamp = limit
	}
}

// dropOutputBias leaves out the bias after attention: no model of the architecture has one, and llama.cpp passes over a file's.
func (m *decoder) dropOutputBias() {
	for i := range m.layers {
		m.layers[i].attn.O.Bias = nil
	}
}

func (s *source) preNorm(i int, ffn blocks.FFN) preNorm {
	return preNorm{
		attnNorm: s.norm(name(i, "attn_norm"), s.NEmbd),
		attn:     s.qkv(i),
		ffnNorm:  s.norm(name(i, s.ffnNorm), s.NEmbd),
		ffn:      ffn,
	}
}

func (m *decoder) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	return m.layer(b, x, i, m.rope)
}

// layer records layer i with the rotary embedding rope; nil: none (NoPE, arXiv:2305.19466).
func (m *decoder) layer(b *graph.Builder, x *graph.Tensor, i int, rope *graph.RopeSpec) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	x = b.Name(b.Add(x, l.attention(b, h, m.attn, rope)), "ffn_inp")
	return l.feedForward(b, x)
}

// attention records attention over the normed rows h.
func (l *preNorm) attention(b *graph.Builder, h *graph.Tensor, spec graph.AttentionSpec, rope *graph.RopeSpec) *graph.Tensor {
	q, k, v := l.attn.Project(b, h)
	q, k = rotate(b, q, k, spec.DimK, rope)
	return l.attn.Attend(b, q, k, v, spec)
}

// rotate gives the heads of queries and keys the rotary embedding rope; nil: none.
func rotate(b *graph.Builder, q, k *graph.Tensor, dim int, rope *graph.RopeSpec) (*graph.Tensor, *graph.Tensor) {
	if rope == nil {
		return q, k
	}
	return b.RoPE(q, dim, rope), b.RoPE(k, dim, rope)
}

// feedForward records the second half of a layer.
func (l *preNorm) feedForward(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
	h := b.Name(b.Norm(x, l.ffnNorm), "ffn_norm")
	return b.Name(b.Add(x, l.ffn.Apply(b, h)), "l_out")
}

func (m *decoder) forward() *graph.Graph { return m.run(len(m.layers), m.block) }
