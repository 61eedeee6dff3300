package arch

import "github.com/llamakit/llamakit/engine/graph"

// Llama 1 to 3 (arXiv:2302.13971, 2307.09288, 2407.21783), Mistral and Mixtral: the plain decoder with rotary pairs (2i, 2i+1)
// and SwiGLU, or a mixture of SwiGLU experts. Llama 3.1 and later divide the rotary angles by the factors of rope_freqs.

func newLlama(s *source) architecture { return s.llama() }

func (s *source) llama() *decoder {
	rope := s.rope(graph.RopeNorm, s.ropeFactors())
	moe := s.experts()
	if moe.N == 0 {
		return s.decoder(rope, s.swiGLU(scaled))
	}
	moe.NFF = s.NFF // no key of its own here
	return s.decoder(rope, s.mixture(moe, scaled))
}

func init() { register("llama", newLlama) }
