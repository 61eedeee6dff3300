package arch

import "github.com/llamakit/llamakit/engine/graph"

// Orion-14B (arXiv:2401.12246): the plain decoder with LayerNorm, rotary pairs (i, i + Dims/2) and SwiGLU.

func newOrion(s *source) architecture {
	s.norm = s.layerNorm
	return s.decoder(s.rope(graph.RopeNeox, nil), s.swiGLU(unscaled))
}

func init() { register("orion", newOrion) }
