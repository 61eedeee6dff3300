package arch

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
)

// Qwen3-Next (model card of Qwen/Qwen3-Next-80B-A3B-Instruct) and Qwen3.5: in each layer
//
//	x += gated DeltaNet, or every fourth layer gated attention, of RMSNorm(x)
//	x += ffn(RMSNorm(x))
//
// Attention has norms on the heads of queries and keys, rotary pairs (i, i + Dims/2) in a part of each head, and a gate beside
// each query. The feed-forward block is SwiGLU, or a mixture of experts beside a gated shared one. Qwen3.5 pairs heads of values
// and of keys differently.

func newQwen3Next(s *source) architecture {
	return s.qwen3Next(s.gatedMixture(), func(i int) mixer {
		d := s.gatedDeltaNet(i, unscaled)
		d.Beta, d.Alpha = s.deltaSteps(i, d.Heads)
		return d
	})
}

func newQwen35(s *source) architecture { return s.qwen3Next(s.swiGLU(scaled), s.qwen35Delta) }

func newQwen35MoE(s *source) architecture { return s.qwen3Next(s.gatedMixture(), s.qwen35Delta) }

func (s *source) qwen3Next(ffn func(layer int) blocks.FFN, delta func(layer int) mixer) architecture {
	rope, recurrent := s.rope(graph.RopeNeox, nil), s.recurrentLayers(4)
	s.ffnNorm = "post_attention_norm"
	return s.hybrid(s.ends(), func(i int) mixer {
		if recurrent[i] {
			return delta(i)
		}
		return s.gatedAttention(i, rope)
	}, ffn)
}

func (s *source) gatedMixture() func(layer int) blocks.FFN {
	moe := s.experts()
	return func(i int) blocks.FFN { return s.withGatedShared(i, s.moe(i, moe, scaled), scaled) }
}

// gatedAttention binds gated attention in layer i.
func (s *source) gatedAttention(i int, rope *graph.RopeSpec) *blocks.GatedAttention {
	spec, qk := s.attentionOf(i), s.qkNorm(i)
	if s.HeadDimV != s.HeadDim {
		s.fail(fmt.Errorf("%w: heads of %d columns with values of %d, which the gates do not fit", gguf.ErrUnsupported, s.HeadDim, s.HeadDimV))
	}
	q, kv := spec.Heads*s.HeadDim, spec.HeadsKV*s.HeadDim
	return &blocks.GatedAttention{Attention: blocks.Attention{Spec: spec, QK: &qk, Rope: rope, QKV: blocks.QKV{
		Q: s.proj(name(i, "attn_q"), s.NEmbd, 2*q), K: s.proj(name(i, "attn_k"), s.NEmbd, kv),
		V: s.proj(name(i, "attn_v"), s.NEmbd, kv), O: s.proj(name(i, "attn_output"), q, s.NEmbd)}}}
}

// gatedDeltaNet binds what is alike in the DeltaNet layers: all but Alpha and Beta.
func (s *source) gatedDeltaNet(i int, sc scaling) *blocks.GatedDeltaNet {
	p := s.ssm()
	s.checkHeads(p)
	d := &blocks.GatedDeltaNet{Heads: graph.DeltaSpec{Heads: p.Rank, KeyHeads: p.Groups},
		DimK: p.State, DimV: p.Inner / max(1, p.Rank), Eps: s.NormEps, Gate: graph.SiLU}
	mixed := 2*p.Groups*p.State + p.Inner
	if s.has(name(i, "ssm_in.weight")) && !s.has(name(i, "attn_qkv.weight")) {
		d.In = &blocks.DeltaGroups{W: s.ffn(name(i, "ssm_in"), s.NEmbd, mixed+p.Inner, sc), Groups: p.Groups, DimK: p.State}
	} else {
		d.In = &blocks.DeltaParts{QKV: s.ffn(name(i, "attn_qkv"), s.NEmbd, mixed, sc), Z: s.ffn(name(i, "attn_gate"), s.NEmbd, p.Inner, sc)}
	}
	d.Conv = s.conv(name(i, "ssm_conv1d"), p.Taps, mixed)
	d.A, d.Norm = s.vector(name(i, "ssm_a"), p.Rank), s.vector(name(i, "ssm_norm.weight"), d.DimV)
	d.Out = s.ffn(name(i, "ssm_out"), p.Inner, s.NEmbd, sc)
	return d
}

// qwen35Delta binds the DeltaNet of layer i, whose value head h has key head h mod key heads.
func (s *source) qwen35Delta(i int) mixer {
	d := s.gatedDeltaNet(i, scaled)
	d.Heads.Tiled = true
	d.Beta = s.ffn(name(i, "ssm_beta"), s.NEmbd, d.Heads.Heads, scaled)
	d.Alpha = s.ffn(name(i, "ssm_alpha"), s.NEmbd, d.Heads.Heads, scaled)
	d.Alpha.Bias, d.Alpha.ScaleBias = s.vector(name(i, "ssm_dt.bias"), d.Heads.Heads), false
	return d
}

// deltaSteps binds Beta and Alpha from their common matrix, which has the rows of both for one key head after another.
func (s *source) deltaSteps(i int, h graph.DeltaSpec) (beta, alpha graph.Linear) {
	ba := s.matrix(name(i, "ssm_ba.weight"), s.NEmbd, 2*h.Heads)
	beta.W, alpha.W = pickRows(ba, 2, 0, h.KeyHeads), pickRows(ba, 2, 1, h.KeyHeads)
	alpha.Bias = s.vector(name(i, "ssm_dt.bias"), h.Heads)
	return beta, alpha
}

// pickRows copies part of parts of each of n equal groups of rows.
func pickRows(w *graph.Weight, parts, part, n int) *graph.Weight {
	picked := *w
	picked.Out, picked.Data = w.Out/parts, nil
	if w.Data == nil {
		return &picked
	}
	rows := w.Out / n / parts
	for g := range n {
		from := (g*parts + part) * rows
		picked.Data = append(picked.Data, w.Rows(from, from+rows)...)
	}
	return &picked
}

func init() {
	register("qwen3next", newQwen3Next)
	register("qwen35", newQwen35)
	register("qwen35moe", newQwen35MoE)
}
