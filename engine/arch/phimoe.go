package arch

import "github.com/llamakit/llamakit/engine/graph"

// Phi-3.5-MoE (arXiv:2404.14219): phi3 with norms that have a bias, matrices of its own for queries, keys and values, biases on
// all projections and a mixture of experts in every layer.

func newPhiMoE(s *source) architecture {
	m := s.decoder(s.rope(graph.RopeNeox, s.longropeFactors()), s.mixture(s.experts(), unscaled))
	m.out.Bias = s.vectorOr("output.bias", s.NVocab)
	return m
}

func init() { register("phimoe", newPhiMoE) }
