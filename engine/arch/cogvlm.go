package arch

import "github.com/llamakit/llamakit/engine/graph"

// CogVLM (arXiv:2311.03079), the text half: the plain decoder with rotary pairs (i, i + Dims/2) of a fixed base, fused queries, keys and
// values, and SwiGLU. The matrices of the visual expert, which serve the positions of images, are not read.

const cogvlmRopeBase = 10000

func newCogVLM(s *source) architecture {
	rope := &graph.RopeSpec{Kind: graph.RopeNeox, Dims: s.HeadDim, Base: cogvlmRopeBase}
	m := s.decoder(rope, s.swiGLU(unscaled))
	for i := range m.layers {
		a := &m.layers[i].attn
		dropScales(&a.Q, &a.K, &a.V)
	}
	return m
}

func init() { register("cogvlm", newCogVLM) }
