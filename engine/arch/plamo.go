package arch

import "github.com/llamakit/llamakit/engine/graph"

// PLaMo-13B (model card of pfnet/plamo-13b): the parallel decoder with RMSNorm, rotary pairs (i, i + Dims/2) on whole heads and
// SwiGLU.

type plamo struct{ parallel }

func newPLaMo(s *source) architecture {
	rope := s.rope(graph.RopeNeox, nil)
	rope.Dims = s.HeadDim // whatever rope.dimension_count says
	return &plamo{s.parallel(rope, s.swiGLU(unscaled))}
}

func init() { register("plamo", newPLaMo) }
