package arch

import "github.com/llamakit/llamakit/engine/graph"

// Baichuan 1 and 2 (arXiv:2309.10305): the plain decoder with SwiGLU. The 7B models rotate pairs (2i, 2i+1) and the 13B models
// have ALiBi in its place. No key says which; llama.cpp goes by the number of layers, and has neither for any other.

const baichuanRoPELayers = 32 // of the 7B models

type baichuan struct{ decoder }

func newBaichuan(s *source) architecture {
	var rope *graph.RopeSpec
	if s.NLayer == baichuanRoPELayers {
		rope = s.rope(graph.RopeNorm, nil)
	}
	return &baichuan{s.decoder(rope, s.swiGLU(unscaled))}
}

func init() { register("baichuan", newBaichuan) }
