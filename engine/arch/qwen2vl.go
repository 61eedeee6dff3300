package arch

import "github.com/llamakit/llamakit/engine/graph"

// Qwen2-VL (arXiv:2409.12191), text: qwen2 whose rotary embedding has a section each for time, height and width. In text all
// three positions are the same, and the sections make no difference.

func newQwen2VL(s *source) architecture {
	return s.decoder(s.rope(graph.RopeNeox, nil), s.swiGLU(unscaled))
}

func init() { register("qwen2vl", newQwen2VL) }
