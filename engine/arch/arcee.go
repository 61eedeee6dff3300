package arch

import "github.com/llamakit/llamakit/engine/graph"

// Arcee AFM (model card of arcee-ai/AFM-4.5B): llama with ReLU² between two matrices (arXiv:2402.03804) in place of SwiGLU.

func newArcee(s *source) architecture {
	return s.decoder(s.rope(graph.RopeNorm, s.ropeFactors()), s.mlp(graph.ReLUSqr))
}

func init() { register("arcee", newArcee) }
