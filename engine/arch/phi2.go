package arch

import "github.com/llamakit/llamakit/engine/graph"

// Phi-1 to 2 (arXiv:2309.05463): the parallel decoder with LayerNorm, rotary pairs (i, i + Dims/2) on a part of each head and an
// MLP with GELU, biases everywhere, also on the logits.

type phi2 struct{ parallel }

func newPhi2(s *source) architecture {
	s.norm = s.layerNorm
	m := &phi2{s.parallel(s.rope(graph.RopeNeox, nil), s.mlp(graph.GELU))}
	m.out.Bias = s.vector("output.bias", s.NVocab)
	return m
}

func init() { register("phi2", newPhi2) }
