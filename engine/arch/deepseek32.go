package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// DeepSeek-V3.2 (arXiv:2512.02556): the layers of DeepSeek-V3 with sparse attention, in which a lightning indexer chooses the keys that
// a token sees. GLM-5 (arXiv:2602.15763) has the same, in some layers with the choice of an earlier one; its indexers have rotary pairs
// (2i, 2i+1) where DeepSeek's have (i, i + Dims/2).

const indexerEps = 1e-6 // of the norm of keys; files do not say it

func newDeepSeek32(s *source) architecture {
	p, _ := s.rotatedLatent()
	sizes, rope := s.sparse(), firstColumns(p.rope, graph.RopeNeox)
	return s.deepSeek32(p, graph.GateSoftmax, func(i int) *blocks.Indexer { return s.indexer(i, p.QRank, sizes, rope, indexerEps) })
}

func newGLMDSA(s *source) architecture {
	p, _ := s.rotatedLatent()
	sizes, rope := s.sparse(), firstColumns(p.rope, graph.RopeNorm)
	list := s.indexers(func(i int) *blocks.Indexer { return s.indexer(i, p.QRank, sizes, rope, 0) })
	return s.deepSeek32(p, graph.GateSigmoid, func(i int) *blocks.Indexer { return list[i] })
}

func (s *source) deepSeek32(p latent, gating graph.Gating, indexer func(i int) *blocks.Indexer) architecture {
	mix := func(i int) mixer {
		m := s.mla(i, p)
		m.Index = indexer(i)
		return m
	}
	return s.hybrid(s.ends(), mix, s.deepSeekMoE(s.routedExperts(gating), scaled))
}

// firstColumns is the rotary embedding of the first columns of a head.
func firstColumns(rope *graph.RopeSpec, kind graph.RopeKind) *graph.RopeSpec {
	first := *rope
	first.Kind, first.Tail = kind, false
	return &first
}

func init() {
	register("deepseek32", newDeepSeek32)
	register("glm-dsa", newGLMDSA)
}
