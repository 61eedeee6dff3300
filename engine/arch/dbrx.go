package arch

import "github.com/llamakit/llamakit/engine/graph"

// DBRX (github.com/databricks/dbrx): the plain decoder with LayerNorm without biases, rotary pairs (i, i + Dims/2), a fused matrix of
// queries, keys and values with a bound on them, and a mixture of experts in every layer.

func newDBRX(s *source) architecture {
	s.norm, s.ffnNorm = s.layerNorm, "attn_output_norm"
	m := s.decoder(s.rope(graph.RopeNeox, nil), s.mixture(s.experts(), unscaled))
	m.clampQKV(float32(s.FloatOr("attention.clamp_kqv", 0)))
	return m
}

func init() { register("dbrx", newDBRX) }
