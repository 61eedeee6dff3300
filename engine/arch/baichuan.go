package arch

import "github.com/llamakit/llamakit/engine/graph"

// Baichuan 1 and 2 (arXiv:2309.10305): the plain decoder with SwiGLU. The 7B models rotate pairs (2i, 2i+1), the 13B models have
// ALiBi (arXiv:2108.12409) in its place. No key says which; llama.cpp goes by the number of layers, and has neither for any other.

const (
	baichuanRoPELayers  = 32 // of the 7B models
	baichuanALiBiLayers = 40 // of the 13B models
	baichuanALiBi       = 8
)

func newBaichuan(s *source) architecture {
	m := s.decoder(nil, s.swiGLU(unscaled))
	switch s.NLayer {
	case baichuanRoPELayers:
		m.rope = s.rope(graph.RopeNorm, nil)
	case baichuanALiBiLayers:
		m.attn.ALiBi = baichuanALiBi
	}
	return m
}

func init() { register("baichuan", newBaichuan) }
