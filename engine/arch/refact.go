package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Refact (model card of smallcloudai/Refact-1_6B-fim): the plain decoder with SwiGLU and linear biases on the scores (ALiBi)
// instead of positions. It has no biases after attention and in SwiGLU; llama.cpp passes over those of a file.

const refactMaxBias = 8 // of ALiBi: files do not say it

func newRefact(s *source) architecture {
	m := s.decoder(nil, s.refactFFN)
	m.attn.ALiBi = refactMaxBias
	m.dropOutputBias()
	return m
}

// refactFFN binds SwiGLU. A file without its matrices, such as llama.cpp's test writes, has what is left: the activation.
func (s *source) refactFFN(i int) blocks.FFN {
	if !s.has(name(i, "ffn_up.weight")) {
		return activation(graph.SiLU)
	}
	f := s.glu(i, graph.SiLU, unscaled)
	f.Gate.Bias, f.Up.Bias, f.Down.Bias = nil, nil, nil
	return f
}

// activation is a feed-forward block without matrices.
type activation graph.Activation

// Apply records the block.
func (a activation) Apply(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
	return b.Name(b.Activate(x, graph.Activation(a)), "ffn_out")
}

func init() { register("refact", newRefact) }
