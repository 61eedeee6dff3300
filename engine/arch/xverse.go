package arch

import "github.com/llamakit/llamakit/engine/graph"

// XVERSE (model card of xverse/XVERSE-7B): the plain decoder with rotary pairs (2i, 2i+1) and SwiGLU.

func newXverse(s *source) architecture {
	return s.decoder(s.rope(graph.RopeNorm, nil), s.swiGLU(unscaled))
}

func init() { register("xverse", newXverse) }
