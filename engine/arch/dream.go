package arch

import "github.com/llamakit/llamakit/engine/graph"

// Dream (arXiv:2508.15487), a diffusion model that was trained on from Qwen2.5: qwen2 with full attention. Its logits at a position say
// what follows, as qwen2's do, knowing what comes after it.

func newDream(s *source) architecture {
	m := s.decoder(s.rope(graph.RopeNeox, nil), s.swiGLU(unscaled))
	m.attn.Full = true
	return m
}

func init() { register("dream", newDream) }
