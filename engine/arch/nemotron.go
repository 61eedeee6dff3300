package arch

import "github.com/llamakit/llamakit/engine/graph"

// Nemotron-4 (arXiv:2402.16819) and Jais 2 (model card of inceptionai/Jais-2-8B-Chat): the plain decoder with LayerNorm, rotary
// pairs (i, i + Dims/2) and an MLP with squared ReLU (arXiv:2109.08668). Nemotron turns a part of each head; the 1 + w of its
// norms is folded into the weights at conversion.

func newNemotron(s *source) architecture {
	s.norm = s.layerNorm
	return s.decoder(s.rope(graph.RopeNeox, nil), s.mlp(graph.ReLUSqr))
}

func init() {
	register("nemotron", newNemotron)
	register("jais2", newNemotron)
}
