package arch

import "github.com/llamakit/llamakit/engine/graph"

// Pocket TTS (arXiv:2509.06926), the language model that predicts audio frames: the plain decoder with LayerNorm, rotary pairs
// (2i, 2i+1) and an MLP with GELU, without biases in the matrices, output tied to the embedding.

func newPocketTTS(s *source) architecture {
	s.norm = s.layerNorm
	return s.decoder(s.rope(graph.RopeNorm, nil), s.mlp(graph.GELU))
}

func init() { register("pockettts", newPocketTTS) }
