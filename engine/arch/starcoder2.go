package arch

import "github.com/llamakit/llamakit/engine/graph"

// StarCoder 2 (arXiv:2402.19173) and CodeShell (arXiv:2403.15747): the plain decoder with LayerNorm, rotary pairs (i, i + Dims/2)
// and an MLP with GELU, biases everywhere.

func newStarCoder2(s *source) architecture {
	s.norm = s.layerNorm
	return s.decoder(s.rope(graph.RopeNeox, nil), s.mlp(graph.GELU))
}

func init() {
	register("starcoder2", newStarCoder2)
	register("codeshell", newStarCoder2)
}
