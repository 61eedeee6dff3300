package arch

import "github.com/llamakit/llamakit/engine/graph"

// InternLM 2 (arXiv:2403.17297): the plain decoder with rotary pairs (2i, 2i+1) and SwiGLU.

func newInternLM2(s *source) architecture {
	return s.decoder(s.rope(graph.RopeNorm, nil), s.swiGLU(unscaled))
}

func init() { register("internlm2", newInternLM2) }
