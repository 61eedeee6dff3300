package arch

import "github.com/llamakit/llamakit/engine/graph"

// Llama-Embed-Nemotron (arXiv:2511.07025) and EuroBERT (arXiv:2503.05500): llama with attention in both directions, which their files
// ask for by the key attention.causal. Rotary pairs are (2i, 2i+1) in the first and (i, i + Dims/2) in the second.

func newLlamaEmbed(s *source) architecture {
	return s.decoder(s.rope(graph.RopeNorm, s.ropeFactors()), s.swiGLU(unscaled))
}

func newEuroBERT(s *source) architecture {
	return s.decoder(s.rope(graph.RopeNeox, nil), s.swiGLU(unscaled))
}

func init() {
	register("llama-embed", newLlamaEmbed)
	register("eurobert", newEuroBERT)
}
