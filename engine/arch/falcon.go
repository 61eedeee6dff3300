package arch

import "github.com/llamakit/llamakit/engine/graph"

// Falcon (arXiv:2311.16867): LayerNorm, rotary pairs (i, i + Dims/2) and an MLP with GELU, no biases in the matrices. Falcon-7B
// is the parallel decoder; Falcon-40B has a second norm, which its files call attn_norm_2 and its attention reads, and so is
// GPT-NeoX's.

func newFalcon(s *source) architecture {
	s.norm = s.layerNorm
	m := s.parallel(s.rope(graph.RopeNeox, nil), s.mlp(graph.GELU))
	if !s.has(name(0, "attn_norm_2.weight")) {
		return &m
	}
	for i := range m.layers {
		l := &m.layers[i]
		l.attnNorm, l.ffnNorm = s.norm(name(i, "attn_norm_2"), s.NEmbd), l.attnNorm
	}
	return &gptNeoX{m.decoder}
}

func init() { register("falcon", newFalcon) }
