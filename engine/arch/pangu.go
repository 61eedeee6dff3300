package arch

import "github.com/llamakit/llamakit/engine/graph"

// openPangu Embedded (arXiv:2505.22375): the plain decoder with rotary pairs (i, i + Dims/2), SwiGLU, and an output bias where
// the file has one.

func newPangu(s *source) architecture {
	m := s.decoder(s.rope(graph.RopeNeox, nil), s.swiGLU(unscaled))
	m.out.Bias = s.vectorOr("output.bias", s.NVocab)
	return m
}

func init() { register("pangu-embedded", newPangu) }
