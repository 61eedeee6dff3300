package arch

import "github.com/llamakit/llamakit/engine/graph"

// OLMo (arXiv:2402.00838): the plain decoder with rotary pairs (2i, 2i+1) and SwiGLU, LayerNorm without weights, and a bound on
// queries, keys and values where the file has one.

func newOLMo(s *source) architecture {
	s.norm = s.bareLayerNorm
	m := s.decoder(s.rope(graph.RopeNorm, nil), s.swiGLU(unscaled))
	m.clampQKV(float32(s.FloatOr("attention.clamp_kqv", 0)))
	return m
}

func init() { register("olmo", newOLMo) }
