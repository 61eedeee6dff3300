package arch

// Jais (arXiv:2308.16149): the plain decoder with LayerNorm and SwiGLU, biases everywhere, linear biases on the scores (ALiBi)
// instead of positions, and scores divided by HeadDim rather than its root (muP, arXiv:2203.03466).

func newJais(s *source) architecture {
	s.norm = s.layerNorm
	m := s.decoder(nil, s.swiGLU(unscaled))
	m.attn.Scale = 1 / float32(s.HeadDim)
	m.attn.ALiBi = float32(s.Float("attention.max_alibi_bias"))
	return m
}

func init() { register("jais", newJais) }
