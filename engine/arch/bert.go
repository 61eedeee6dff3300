package arch

import "github.com/llamakit/llamakit/engine/graph"

// BERT (arXiv:1810.04805), RoBERTa (arXiv:1907.11692), and what Sentence Transformers (arXiv:1908.10084), BGE and E5 made of
// them: the post-norm encoder with LayerNorm, an MLP with GELU, biases everywhere, and learned positions.

func newBERT(s *source) architecture {
	m := s.encoder(nil, s.mlp(graph.GELU))
	m.positions = s.positions()
	return &m
}

func init() { register("bert", newBERT) }
