package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// LLaDA (arXiv:2502.09992), a diffusion model: the plain decoder with rotary pairs (2i, 2i+1), SwiGLU and full attention. Its
// logits at a position say what stands there, not what follows; a sampler fills masked positions in several passes over the
// whole text.

func newLLaDA(s *source) architecture {
	m := s.decoder(s.rope(graph.RopeNorm, nil), s.lladaFFN)
	m.attn.Full = true
	m.dropOutputBias()
	return m
}

// lladaFFN leaves out biases: LLaDA has none, and llama.cpp passes over those of a file.
func (s *source) lladaFFN(i int) blocks.FFN {
	f := s.glu(i, graph.SiLU, unscaled)
	f.Gate.Bias, f.Up.Bias, f.Down.Bias = nil, nil, nil
	return f
}

func init() { register("llada", newLLaDA) }
