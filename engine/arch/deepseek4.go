package arch

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
)

// DeepSeek-V4 (llama.cpp's src/models/deepseek4.cpp): mixed residual streams, and experts whose gates are the root of softplus. Attention has
// one key for all heads, which is the value, too, a window, a learned sink a head, and beside the window compressed keys: in some layers of
// every 128 tokens, in some of every four, chosen by an indexer. What attention found is rotated back, and goes through a matrix for
// each group of heads.

// overlapping is the ratio whose blocks overlap; files do not say it.
const overlapping = 4

func newDeepSeek4(s *source) architecture {
	m := &deepSeek4{source: s, windows: s.windows(1), ratios: s.IntsOrScalarOr("attention.compress_ratios", s.NBlock(), 0),
		queryRank: s.IntIn("attention.q_lora_rank", 1, maxWidth), groups: s.IntIn("attention.output_group_count", 1, maxHeads),
		outRank: s.IntIn("attention.output_lora_rank", 1, maxWidth), sizes: s.sparse(), ropes: map[rotation]*graph.RopeSpec{}}
	experts, others := s.limits("swiglu_clamp_exp", 0), s.limits("swiglu_clamp_shexp", 0)
	ffn := s.hashedMoE(s.routedExperts(graph.GateSqrtSoftplus))
	if s.err() == nil && s.NHead*s.HeadDim%m.groups != 0 {
		s.fail(fmt.Errorf("%w: %d heads of %d columns in %d groups", gguf.ErrCorrupt, s.NHead, s.HeadDim, m.groups))
	}
	if s.err() != nil {
		return nil
	}
	return s.streams(s.hybrid(s.ends(), m.attention, func(i int) blocks.FFN { return limited(ffn(i), experts[i], others[i]) }), true)
}

// hashedMoE binds DeepSeekMoE with experts of the first layers chosen by the token alone.
func (s *source) hashedMoE(e experts) func(layer int) blocks.FFN {
	ffn, hashed := s.deepSeekMoE(e, unscaled), s.IntOr("hash_layer_count", 0)
	return func(i int) blocks.FFN {
		if i >= hashed || !s.has(name(i, "ffn_gate_tid2eid.weight")) {
			return ffn(i)
		}
		m := s.moe(i, e, unscaled)
		m.Route.Bias, m.Route.Table = nil, s.vector(name(i, "ffn_gate_tid2eid.weight"), e.Used, s.NVocab)
		for _, id := range m.Route.Table {
			if !(id >= 0 && int(id) < e.N) {
				s.fail(fmt.Errorf("%w: layer %d gives a token expert %g of %d", gguf.ErrCorrupt, i, id, e.N))
				break
			}
		}
		return s.withShared(i, m, unscaled)
	}
}

// deepSeek4 binds attention.
type deepSeek4 struct {
	*source
	windows, ratios            []int // by layer
	queryRank, outRank, groups int
	sizes                      sparse
	ropes                      map[rotation]*graph.RopeSpec // layers share them
}

// rotation tells rotary embeddings apart: that of layers with compressed keys, its inverse, and by how many positions it is shifted.
type rotation struct {
	compressed, back bool
	shift            int
}

// compressedAttention are the weights of one layer.
type compressedAttention struct {
	qa, qb     graph.Linear
	qNorm      graph.NormWeights
	kv         graph.Linear
	kvNorm     graph.NormWeights
	headEps    float32
	rope, back *graph.RopeSpec
	spec       graph.AttentionSpec
	blocks     *blocks.Compressor // nil: none
	index      *blocks.Indexer    // of blocks; nil: all
	outA       *graph.Weight      // a matrix a group
	outB       graph.Linear
}

func (s *deepSeek4) attention(i int) mixer {
	dim, ratio := s.HeadDim, s.ratios[i]
	m := &compressedAttention{headEps: s.NormEps, spec: s.attentionOf(i)}
	m.spec.Window, m.spec.Sinks, m.spec.HeadsKV, m.spec.DimV = s.windows[i], s.vector(name(i, "attn_sinks.weight"), m.spec.Heads), 1, dim
	m.qa, m.qNorm = s.plain(name(i, "attn_q_a"), s.NEmbd, s.queryRank), s.rmsNorm(name(i, "attn_q_a_norm"), s.queryRank)
	m.qb = s.plain(name(i, "attn_q_b"), s.queryRank, m.spec.Heads*dim)
	m.kv, m.kvNorm = s.plain(name(i, "attn_kv"), s.NEmbd, dim), s.rmsNorm(name(i, "attn_kv_a_norm"), dim)
	m.rope, m.back = s.rotate(rotation{compressed: ratio > 0}), s.rotate(rotation{compressed: ratio > 0, back: true})
	if ratio > 0 {
		m.blocks = s.compressor(i, "attn_compressor", ratio, dim)
	}
	if s.has(name(i, "indexer.proj.weight")) {
		m.index = s.indexerOf(i, s.queryRank, s.sizes, s.compressor(i, "indexer_compressor", ratio, s.sizes.Dim), m.rope)
		m.index.Spec.Ratio, m.index.Spec.Blocks = ratio, true
	}
	m.outA = s.stack(name(i, "attn_output_a.weight"), m.spec.Heads*dim/s.groups, s.outRank, s.groups)
	m.outB = s.plain(name(i, "attn_output_b"), s.groups*s.outRank, s.NEmbd)
	return m
}

// rotate is the rotary embedding of last columns. Layers without compressed keys have a base of their own, and positions that are not
// stretched; in the others cos and sin keep their size.
func (s *deepSeek4) rotate(key rotation) *graph.RopeSpec {
	if r := s.ropes[key]; r != nil {
		return r
	}
	r := s.rope(graph.RopeNorm, nil)
	if !key.compressed {
		r = r.Unscaled()
	} else {
		r.Base = float32(s.FloatOr("attention.compress_rope_freq_base", float64(r.Base)))
		if r.Scale = 1; r.Yarn != nil {
			r.Yarn.LogMul = 1
		}
	}
	r.Tail, r.Inverse, r.Shift = true, key.back, key.shift
	s.ropes[key] = r
	return r
}

// compressor binds what makes keys of blocks of ratio tokens.
func (s *deepSeek4) compressor(i int, part string, ratio, dim int) *blocks.Compressor {
	columns := dim
	if ratio == overlapping {
		columns *= 2
	}
	norm, rope := s.rmsNorm(name(i, part+"_norm"), dim), s.rotate(rotation{compressed: true, shift: ratio - 1})
	return &blocks.Compressor{X: &blocks.IndexKeys{K: s.plain(name(i, part+"_kv"), s.NEmbd, columns)},
		Gate: s.plain(name(i, part+"_gate"), s.NEmbd, columns),
		Ape:  s.vector(name(i, part+"_ape.weight"), columns, ratio), Ratio: ratio, Width: dim, Norm: &norm, Rope: rope}
}

func (m *compressedAttention) Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor {
	dim, spec := m.spec.DimK, m.spec
	latent := b.Norm(b.Linear(h, m.qa), m.qNorm)
	q := b.RoPE(b.HeadNorm(b.Linear(latent, m.qb), nil, m.headEps, dim), dim, m.rope)
	k := b.RoPE(b.Norm(b.Linear(h, m.kv), m.kvNorm), dim, m.rope)
	if m.blocks != nil {
		spec.Blocks = &graph.Blocks{K: m.blocks.Apply(b, h), Ratio: m.blocks.Ratio}
		if m.index != nil {
			spec.Blocks.Keys = m.index.Choose(b, h, latent)
		}
	}
	o := b.Name(b.Attention(b.Name(q, "Qcur"), b.Name(k, "Kcur"), nil, spec), "kqv_out")
	o = b.HeadLinear(b.RoPE(o, dim, m.back), m.outA)
	return b.Name(b.Linear(o, m.outB), "attn_out")
}

func init() { register("deepseek4", newDeepSeek4) }
