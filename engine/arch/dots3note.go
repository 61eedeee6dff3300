package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Dots 3 Note (llama.cpp's src/models/dots3note.cpp): the layers of DeepSeek-V3.2 with a norm of the keys' columns for positions and a
// sigmoid gate on each head. Some layers have a sliding window, sizes and a rotary base of their own, and no indexer.

func newDots3Note(s *source) architecture {
	p, _ := s.rotatedLatent()
	windows, sliding, sizes, rope := s.windows(4), s.slidingLatent(p), s.sparse(), firstColumns(p.rope, graph.RopeNeox)
	indexers := s.indexers(func(i int) *blocks.Indexer { return s.indexer(i, p.QRank, sizes, rope, indexerEps) })
	mix := func(i int) mixer {
		size, index := p, indexers[i]
		if windows[i] > 0 {
			size, index = sliding, nil
		}
		m := s.mla(i, size)
		m.Window, m.Index = windows[i], index
		k, gate := s.rmsNorm(name(i, "attn_k_norm"), p.Rope), s.outputGate(i, m.Heads, graph.Sigmoid)
		m.KNorm, m.Gate = &k, &gate
		return m
	}
	return s.hybrid(s.ends(), mix, s.deepSeekMoE(s.routedExperts(graph.GateSoftmax), scaled))
}

// slidingLatent are the sizes of sliding layers, those of the others where the file has no keys for them, and their rotary base.
func (s *source) slidingLatent(p latent) latent {
	rank, dimK := p.Rank, p.DimK
	p.Rank = s.IntOr("attention.kv_lora_rank_swa", rank)
	p.DimK = s.IntOr("attention.key_length_mla_swa", dimK)
	p.DimV = s.IntOr("attention.value_length_mla_swa", p.DimV)
	p.scale *= sqrt32(dimK) / sqrt32(p.DimK)
	p.rope = s.ropeSWA(p.rope, p.rope.Base)
	return p
}

func init() { register("dots3note", newDots3Note) }
