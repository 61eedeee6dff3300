package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// sparse are the sizes of a lightning indexer.
type sparse struct {
	Heads, Dim int
	Top        int // keys chosen
}

// maxTop bounds the choice of an indexer, which has room in every row.
const maxTop = 1 << 20

// sparse reads the sizes. No more keys are chosen than a sequence can hold.
func (s *source) sparse() sparse {
	p := sparse{Heads: s.IntIn("attention.indexer.head_count", 1, maxHeads), Dim: s.IntIn("attention.indexer.key_length", 1, maxWidth),
		Top: s.IntIn("attention.indexer.top_k", 1, maxTop)}
	if s.Context > 0 {
		p.Top = min(p.Top, s.Context)
	}
	return p
}

// indexers binds an indexer in the layers whose type is not 0. The others share that of the last layer with one.
func (s *source) indexers(bind func(i int) *blocks.Indexer) []*blocks.Indexer {
	list := make([]*blocks.Indexer, s.NLayer)
	for i, kind := range s.IntsOrScalarOr("attention.indexer.types", s.NBlock(), 1) {
		switch {
		case i >= s.NLayer:
		case kind != 0:
			list[i] = bind(i)
		case i > 0:
			list[i] = list[i-1]
		}
	}
	return list
}

// indexer binds the indexer of layer i, whose keys have a LayerNorm.
func (s *source) indexer(i, queryRank int, p sparse, rope *graph.RopeSpec, eps float32) *blocks.Indexer {
	x := &blocks.Indexer{Rope: rope, Spec: graph.IndexSpec{Heads: p.Heads, Top: p.Top, Ratio: 1}}
	x.QB.W = s.matrix(name(i, "indexer.attn_q_b.weight"), queryRank, p.Heads*p.Dim)
	x.K.W = s.matrix(name(i, "indexer.attn_k.weight"), s.NEmbd, p.Dim)
	x.KNorm = graph.NormWeights{Kind: graph.LayerNorm, W: s.vector(name(i, "indexer.k_norm.weight"), p.Dim), B: s.vector(name(i, "indexer.k_norm.bias"), p.Dim), Eps: eps}
	x.Weight.W = s.matrix(name(i, "indexer.proj.weight"), s.NEmbd, p.Heads)
	return x
}
