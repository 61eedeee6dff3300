package arch

import "github.com/llamakit/llamakit/engine/graph"

// Qwen2 and Qwen2.5 (arXiv:2407.10671, 2412.15115): the plain decoder with rotary pairs (i, i + Dims/2) and biases on queries,
// keys and values.

func newQwen2(s *source) architecture {
	m := s.decoder(s.rope(graph.RopeNeox, nil), s.swiGLU(unscaled))
	m.out.Bias = s.vectorOr("output.bias", s.NVocab)
	return m
}

func init() { register("qwen2", newQwen2) }
