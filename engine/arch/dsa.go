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

// indexer binds the indexer of layer i, whose keys have a LayerNorm; rope may be nil.
func (s *source) indexer(i, queryRank int, p sparse, rope *graph.RopeSpec, eps float32) *blocks.Indexer {
	norm := graph.NormWeights{Kind: graph.LayerNorm, Eps: eps,
		W: s.vector(name(i, "indexer.k_norm.weight"), p.Dim), B: s.vector(name(i, "indexer.k_norm.bias"), p.Dim)}
	k := &blocks.IndexKeys{K: s.plain(name(i, "indexer.attn_k"), s.NEmbd, p.Dim), Norm: &norm, Rope: rope}
	return s.indexerOf(i, queryRank, p, k, rope)
}

// indexerOf binds the queries and weights of the indexer of layer i for its keys.
func (s *source) indexerOf(i, queryRank int, p sparse, keys blocks.FFN, rope *graph.RopeSpec) *blocks.Indexer {
	return &blocks.Indexer{Q: s.plain(name(i, "indexer.attn_q_b"), queryRank, p.Heads*p.Dim), Rope: rope, Keys: keys,
		Weight: s.plain(name(i, "indexer.proj"), s.NEmbd, p.Heads), Spec: graph.IndexSpec{Heads: p.Heads, Top: p.Top, Ratio: 1}}
}

// plain binds a matrix without scale and bias.
func (s *source) plain(name string, in, out int) graph.Linear {
	return graph.Linear{W: s.matrix(name+".weight", in, out)}
}
