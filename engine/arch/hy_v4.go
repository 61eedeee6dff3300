package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Hy4 (llama.cpp's src/models/hy_v4.cpp): residual streams that stay apart, latent attention with a learned sink a head, a sigmoid gate on
// what it found and keys chosen by an indexer, and DeepSeek-V3's experts with bounded gated units.

func newHyV4(s *source) architecture {
	p, _ := s.rotatedLatent()
	sizes, limits := s.sparse(), s.limits("swiglu_clamp_exp", 0)
	indexers := s.indexers(func(i int) *blocks.Indexer { return s.indexer(i, p.QRank, sizes, p.rope, s.NormEps) })
	mix := func(i int) mixer {
		m := s.mla(i, p)
		gate := s.outputGate(i, m.Heads*m.DimV, graph.Sigmoid)
		m.Gate, m.Index, m.Sinks, m.Out.Scale = &gate, indexers[i], s.vector(name(i, "attn_sinks.weight"), m.Heads), nil
		return m
	}
	ffn := s.deepSeekMoE(s.routedExperts(graph.GateSigmoid), unscaled)
	return s.streams(s.hybrid(s.ends(), mix, func(i int) blocks.FFN { return limited(ffn(i), limits[i], 0) }), false)
}

func init() { register("hy_v4", newHyV4) }
