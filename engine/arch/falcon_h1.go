package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Falcon-H1 (arXiv:2507.22448): in every layer attention with rotary pairs (i, i + Dims/2) and Mamba-2 beside each other, then
// SwiGLU with biases. The multipliers of the paper are folded into the weights at conversion.

func newFalconH1(s *source) architecture {
	p, rope := s.ssm(), s.rope(graph.RopeNeox, nil)
	mix := func(i int) mixer {
		attention := s.attentionMixer(i, rope, nil)
		attention.O.Bias = nil // files may have one, which llama.cpp does not add
		return &blocks.Sum{A: attention, B: s.mamba2(i, p)}
	}
	s.norm = s.barelyNamed
	return s.hybrid(s.ends(), mix, s.swiGLU(unscaled))
}

func init() { register("falcon-h1", newFalconH1) }
