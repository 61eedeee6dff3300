package arch

import "github.com/llamakit/llamakit/engine/graph"

// Seed-OSS (model card of ByteDance-Seed/Seed-OSS-36B-Instruct): the plain decoder with rotary pairs (i, i + Dims/2) and SwiGLU.
// Its files call the feed-forward norm post_attention_norm.

func newSeedOSS(s *source) architecture {
	s.ffnNorm = "post_attention_norm"
	return s.decoder(s.rope(graph.RopeNeox, nil), s.swiGLU(unscaled))
}

func init() { register("seed_oss", newSeedOSS) }
