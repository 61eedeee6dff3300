package arch

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
)

// MiniMax-M3 (model card of MiniMaxAI/MiniMax-M3): the layers of qwen3 with rotary embedding on a part of each head and DeepSeek-V3's
// experts, all feed-forward blocks with gpt-oss's gated unit. In the layers with experts, attention sees a few blocks of keys, which a small
// indexer chooses for each key head.

func newMiniMaxM3(s *source) architecture {
	moe := s.routedExperts(graph.GateSigmoid)
	moe.Act = graph.SwiGLUOAI
	rope, dense := s.rope(graph.RopeNeox, nil), s.IntOr("leading_dense_block_count", 0)
	return s.hybrid(s.ends(), func(i int) mixer {
		qk := s.qkNorm(i)
		a := s.attentionMixer(i, rope, &qk)
		if i < dense {
			return a
		}
		return &blocks.BlockAttention{Attention: *a, Index: s.blockIndexer(i, rope)}
	}, s.deepSeekMoE(moe, unscaled))
}

// blockIndexer binds the indexer of layer i.
func (s *source) blockIndexer(i int, rope *graph.RopeSpec) blocks.BlockIndexer {
	p, spec := s.sparse(), graph.BlockSpec{Size: s.IntIn("attention.indexer.block_size", 1, maxTop), Local: s.IntIn("attention.indexer.local_blocks", 0, maxTop)}
	spec.Heads, spec.Top = p.Heads, p.Top
	if s.Context > 0 {
		spec.Top = min(p.Top, (s.Context-1)/max(1, spec.Size)+1)
	}
	if p.Heads != s.Layers[i].NHeadKV || spec.Top*spec.Size > maxTop {
		s.fail(fmt.Errorf("%w: layer %d: %d heads of the indexer choose %d blocks of %d tokens for %d key heads", gguf.ErrUnsupported,
			i, p.Heads, spec.Top, spec.Size, s.Layers[i].NHeadKV))
	}
	return blocks.BlockIndexer{Q: s.plain(name(i, "indexer.q_proj"), s.NEmbd, p.Heads*p.Dim), K: s.plain(name(i, "indexer.k_proj"), s.NEmbd, p.Dim),
		QNorm: s.rmsNorm(name(i, "indexer.q_norm"), p.Dim), KNorm: s.rmsNorm(name(i, "indexer.k_norm"), p.Dim), Rope: rope, Spec: spec}
}

func init() { register("minimax-m3", newMiniMaxM3) }
