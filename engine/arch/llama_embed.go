package arch

import "github.com/llamakit/llamakit/engine/graph"

// Llama-Embed-Nemotron (arXiv:2511.07025): llama with attention in both directions.
//
// EuroBERT (arXiv:2503.05500): the same, with rotary pairs (i, i + Dims/2).

func newLlamaEmbed(s *source) architecture { return s.bothWays(graph.RopeNorm) }

func newEuroBERT(s *source) architecture { return s.bothWays(graph.RopeNeox) }

func (s *source) bothWays(kind graph.RopeKind) architecture {
	m := s.decoder(s.rope(kind, s.ropeFactors()), s.swiGLU(unscaled))
	m.attn.Full = true
	return &m
}

func init() {
	register("llama-embed", newLlamaEmbed)
	register("eurobert", newEuroBERT)
}
