package arch

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
)

// The keys of epsilons.
const (
	rmsEpsilon   = "attention.layer_norm_rms_epsilon"
	layerEpsilon = "attention.layer_norm_epsilon"
)

// norm binds a norm of n columns: its weights, and a bias where the file has one.
type norm func(name string, n int) graph.NormWeights

func (s *source) rmsNorm(name string, n int) graph.NormWeights {
	return graph.NormWeights{Kind: graph.RMSNorm, W: s.vector(name+".weight", n), B: s.vectorOr(name+".bias", n), Eps: s.epsilon(rmsEpsilon)}
}

func (s *source) layerNorm(name string, n int) graph.NormWeights {
	return graph.NormWeights{Kind: graph.LayerNorm, W: s.vector(name+".weight", n), B: s.vectorOr(name+".bias", n), Eps: s.epsilon(layerEpsilon)}
}

// bareRMSNorm is an RMSNorm without weights.
func (s *source) bareRMSNorm(string, int) graph.NormWeights {
	return graph.NormWeights{Kind: graph.RMSNorm, Eps: s.epsilon(rmsEpsilon)}
}

// bareLayerNorm is a LayerNorm without weights and bias.
func (s *source) bareLayerNorm(string, int) graph.NormWeights {
	return graph.NormWeights{Kind: graph.LayerNorm, Eps: s.epsilon(layerEpsilon)}
}

// epsilon reads the epsilon of a kind of norm.
func (s *source) epsilon(key string) float32 {
	eps := s.Float(key)
	if !(eps >= 0 && eps < 1) {
		s.fail(fmt.Errorf("%w: key %s.%s is %g, want 0 to 1", gguf.ErrCorrupt, s.arch, key, eps))
	}
	return float32(eps)
}

// headNorms binds LayerNorms of the heads of queries and keys, with weights of their own for each head; nil where a file has none.
func (s *source) headNorms() []blocks.QKNorm {
	if !s.has(name(0, "attn_q_norm.weight")) {
		return nil
	}
	var norms []blocks.QKNorm
	for i := range s.NLayer {
		norms = append(norms, blocks.QKNorm{Q: s.headNorm(name(i, "attn_q_norm"), s.NHead), K: s.headNorm(name(i, "attn_k_norm"), s.NHeadKV)})
	}
	return norms
}

func (s *source) headNorm(name string, heads int) graph.NormWeights {
	return graph.NormWeights{Kind: graph.LayerNorm, W: s.vector(name+".weight", s.HeadDim, heads), Eps: s.epsilon(layerEpsilon)}
}

// barelyNamed is an RMSNorm whose weights some files name without .weight.
func (s *source) barelyNamed(name string, n int) graph.NormWeights {
	if s.has(name) {
		return graph.NormWeights{W: s.vector(name, n), Eps: s.NormEps}
	}
	return s.rmsNorm(name, n)
}
