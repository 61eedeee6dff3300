package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Phi-3 (arXiv:2404.14219): the plain decoder with rotary pairs (i, i + Dims/2), the matrices of attention and of SwiGLU fused
// in one tensor each, and longrope (arXiv:2402.13753): one set of divisors of the angles up to the original context, another
// beyond. The choice hangs on the context that the model was opened with, so that no key changes when a sequence grows.

func newPhi3(s *source) architecture {
	rope := s.rope(graph.RopeNeox, s.longropeFactors())
	m := s.decoder(rope, func(i int) blocks.FFN { return s.fusedGLU(i, graph.SiLU) })
	m.out.Bias = s.vectorOr("output.bias", s.NVocab)
	return m
}

func init() { register("phi3", newPhi3) }
