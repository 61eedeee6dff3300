package arch

import (
	"fmt"
	"math"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
)

// latent are the sizes of multi-head latent attention.
type latent struct {
	Rank, QRank int // of keys and values, and of queries, 0 where these are not compressed
	DimK, DimV  int // of a head before the absorption
	Rope        int // columns with the position, the last of DimK

	rope  *graph.RopeSpec // of those columns; nil: they are not rotated
	scale float32         // of scores
}

// latent reads the sizes. Files in the plain form give those of a head without a key of their own.
func (s *source) latent() latent {
	p := latent{Rank: s.IntIn("attention.kv_lora_rank", 1, maxWidth), QRank: s.IntOr("attention.q_lora_rank", 0),
		DimK: s.IntOr("attention.key_length_mla", 0), DimV: s.IntOr("attention.value_length_mla", 0), Rope: s.IntOr("rope.dimension_count", 0)}
	if p.DimK == 0 {
		p.DimK, p.DimV = s.HeadDim, s.HeadDimV
	}
	p.scale = 1 / sqrt32(p.DimK)
	return p
}

// mla binds latent attention in layer i.
func (s *source) mla(i int, p latent) *blocks.MLA {
	heads, nope := s.Layers[i].NHead, p.DimK-p.Rope
	if heads < 1 || nope < 0 || p.Rope < 0 || p.DimV < 1 || p.DimK > maxWidth || p.DimV > maxWidth {
		s.fail(fmt.Errorf("%w: layer %d: latent attention of %d heads with keys of %d, %d of them for positions, and values of %d",
			gguf.ErrCorrupt, i, heads, p.DimK, p.Rope, p.DimV))
		return &blocks.MLA{}
	}
	m := &blocks.MLA{Heads: heads, DimK: p.DimK, DimV: p.DimV, Rope: p.rope, Scale: p.scale}
	if s.has(name(i, "attn_q_a.weight")) {
		m.QA.W, m.QNorm = s.matrix(name(i, "attn_q_a.weight"), s.NEmbd, p.QRank), s.rmsNorm(name(i, "attn_q_a_norm"), p.QRank)
		m.QB.W = s.matrix(name(i, "attn_q_b.weight"), p.QRank, heads*p.DimK)
	} else {
		m.QB.W = s.matrix(name(i, "attn_q.weight"), s.NEmbd, heads*p.DimK)
	}
	m.KVA.W, m.Norm = s.matrix(name(i, "attn_kv_a_mqa.weight"), s.NEmbd, p.Rank+p.Rope), s.rmsNorm(name(i, "attn_kv_a_norm"), p.Rank)
	if s.has(name(i, "attn_k_b.weight")) {
		m.KV.KB = s.stack(name(i, "attn_k_b.weight"), nope, p.Rank, heads)
		m.KV.VB = s.stack(name(i, "attn_v_b.weight"), p.Rank, p.DimV, heads)
	} else {
		m.KV.B.W = s.matrix(name(i, "attn_kv_b.weight"), p.Rank, heads*(nope+p.DimV))
	}
	m.Out = s.proj(name(i, "attn_output"), heads*p.DimV, s.NEmbd)
	return m
}

// rotatedLatent is latent with rotary pairs (2i, 2i+1), and with what YaRN does to scores: the columns without a position grow as
// those with one do, and both by the paper's mscale_all_dim, which is returned (DeepSeek-V2's released model code).
func (s *source) rotatedLatent() (p latent, mscaleAll float32) {
	p = s.latent()
	p.rope = s.rope(graph.RopeNorm, nil)
	p.rope.Tail = true
	grow := float64(p.rope.Scale)
	if y := p.rope.Yarn; y != nil {
		y.LogMul *= 10 // the key has a tenth of it
		mscaleAll = y.LogMul
		grow *= y.Magnitude() * (1 + 0.1*float64(mscaleAll)*math.Log(float64(y.Factor)))
	}
	p.scale *= float32(grow * grow)
	return p, mscaleAll
}
