package arch

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
)

// GLM-5 Next (llama.cpp's src/models/glm5-next.cpp): mixed residual streams, Kimi Delta Attention in most layers and latent attention without
// positions in the others, where an indexer chooses keys by pools of several tokens, and DeepSeek-V3's experts with bounded gated units.

const glm5UnitEps = 1e-6 // of the length of queries and keys; files do not say it

func newGLM5Next(s *source) architecture {
	p, sizes, pool := s.latent(), s.sparse(), s.IntIn("attention.indexer.kpool", 1, maxTop)
	if !s.BoolOr("attention.indexer.kpool_select_tail", true) {
		s.fail(fmt.Errorf("%w: key %s.attention.indexer.kpool_select_tail is false: tokens would not see themselves", gguf.ErrUnsupported, s.arch))
	}
	experts, others := s.limits("swiglu_clamp_exp", 0), s.limits("swiglu_clamp_shexp", 0)
	ffn := s.deepSeekMoE(s.routedExperts(graph.GateSigmoid), unscaled)
	mix := func(i int) mixer {
		if s.recurrent(i) {
			d := s.boundKDA(i)
			d.UnitEps = glm5UnitEps
			return d
		}
		m := s.mla(i, p)
		m.Out.Scale, m.Index = nil, s.pooled(i, p.QRank, sizes, pool)
		return m
	}
	return s.streams(s.hybrid(s.ends(), mix, func(i int) blocks.FFN { return limited(ffn(i), experts[i], others[i]) }), true)
}

// pooled binds the indexer of layer i, which has one key for each pool of tokens.
func (s *source) pooled(i, queryRank int, p sparse, pool int) *blocks.Indexer {
	x := s.indexer(i, queryRank, p, nil, s.epsilon(layerEpsilon))
	x.Spec.Ratio, x.Spec.Top = pool, max(1, p.Top/max(1, pool))
	x.Keys = &blocks.Compressor{X: x.Keys.(*blocks.IndexKeys), Gate: s.plain(name(i, "indexer_compressor_gate"), s.NEmbd, p.Dim),
		Ape: s.vector(name(i, "indexer_compressor_ape.weight"), p.Dim, pool), Ratio: pool, Width: p.Dim}
	return x
}

func init() { register("glm5-next", newGLM5Next) }
