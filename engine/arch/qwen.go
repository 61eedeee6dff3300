package arch

import "github.com/llamakit/llamakit/engine/graph"

// Qwen, the first (arXiv:2309.16609): the plain decoder with rotary pairs (i, i + Dims/2), fused queries, keys and values with
// biases, and SwiGLU. Its feed_forward_length counts the gate and the up matrix together.

func newQwen(s *source) architecture {
	for i := range s.Layers {
		s.Layers[i].NFF /= 2
	}
	return s.decoder(s.rope(graph.RopeNeox, nil), s.swiGLU(unscaled))
}

func init() { register("qwen", newQwen) }
