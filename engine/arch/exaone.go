package arch

import "github.com/llamakit/llamakit/engine/graph"

// EXAONE 3 (arXiv:2408.03541): the plain decoder with rotary pairs (i, i + Dims/2), Llama 3.1's factors and SwiGLU.

func newExaone(s *source) architecture {
	return s.decoder(s.rope(graph.RopeNeox, s.ropeFactors()), s.swiGLU(unscaled))
}

func init() { register("exaone", newExaone) }
