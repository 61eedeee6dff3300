package arch

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
)

// K2 Horizon (model cards of IFM/K2-Horizon-0.9B and -36B): the plain decoder with norms over groups of columns, norms on the heads of
// queries and keys with weights of their own for each head, rotary pairs (i, i + Dims/2), a gate log2(1 + 2^g) on what attention
// found, and SwiGLU. Larger models have a mixture of experts after the leading layers, and in those layers values from a mixture
// too (MoVA): v = Σ w_e·silu(V_e·h) over the experts that a router of the same kind chooses.

type k2Horizon struct {
	ends
	layers []k2HorizonLayer
	attn   graph.AttentionSpec
	rope   *graph.RopeSpec
	group  int // columns that are normed together
}

type k2HorizonLayer struct {
	preNorm
	values *blocks.MoE   // in place of attn.V; nil: none
	qk     blocks.QKNorm // weights are (NHead·HeadDim) and (NHeadKV·HeadDim)
	gate   blocks.OutputGate
}

func newK2Horizon(s *source) architecture {
	m := &k2Horizon{ends: s.ends(), attn: s.attention(), rope: s.rope(graph.RopeNeox, nil)}
	groups := s.IntIn("attention.group_norm_groups", 1, s.NEmbd)
	if m.group = s.NEmbd / max(groups, 1); m.group*groups != s.NEmbd {
		s.fail(fmt.Errorf("%w: key %s.attention.group_norm_groups is %d, rows have %d columns", gguf.ErrCorrupt, s.arch, groups, s.NEmbd))
	}
	moe := s.routedExperts(graph.GateSigmoid)
	ffn := s.swiGLU(unscaled)
	if moe.N > 0 {
		ffn = s.deepSeekMoE(moe, unscaled)
	}
	for i := range s.NLayer {
		l := k2HorizonLayer{values: s.routedValues(i, moe)}
		l.attnNorm, l.attn = s.norm(name(i, "attn_norm"), s.NEmbd), s.k2Attention(i)
		l.ffnNorm, l.ffn = s.norm(name(i, "ffn_norm"), s.NEmbd), ffn(i)
		l.qk.Q = graph.NormWeights{W: s.vector(name(i, "attn_q_norm.weight"), s.HeadDim, s.NHead), Eps: s.NormEps}
		l.qk.K = graph.NormWeights{W: s.vector(name(i, "attn_k_norm.weight"), s.HeadDim, s.NHeadKV), Eps: s.NormEps}
		l.gate = blocks.OutputGate{W: s.proj(name(i, "attn_gate"), s.NEmbd, s.NHead*s.HeadDimV), Act: graph.Log2OnePlus2}
		m.layers = append(m.layers, l)
	}
	return m
}

// k2Attention binds the projections of layer i; V where the file has it.
func (s *source) k2Attention(i int) blocks.QKV {
	if !s.has(name(i, "attn_v_exps.weight")) {
		return s.qkv(i)
	}
	return blocks.QKV{
		Q: s.proj(name(i, "attn_q"), s.NEmbd, s.NHead*s.HeadDim),
		K: s.proj(name(i, "attn_k"), s.NEmbd, s.NHeadKV*s.HeadDim),
		O: s.proj(name(i, "attn_output"), s.NHead*s.HeadDimV, s.NEmbd),
	}
}

// routedValues binds the mixture of values of layer i, whose router is like that of the feed-forward experts; nil where the file
// has none.
func (s *source) routedValues(i int, like experts) *blocks.MoE {
	if !s.has(name(i, "attn_v_exps.weight")) {
		return nil
	}
	n := s.IntIn("attention.value_expert_count", 1, maxHeads)
	v := &blocks.MoE{Router: graph.Linear{W: s.matrix(name(i, "attn_v_gate.weight"), s.NEmbd, n)}, Route: like.RouteSpec}
	v.Route.Used = s.IntIn("attention.value_expert_used_count", 1, n)
	v.Route.Bias = s.vectorOr(name(i, "attn_v_gate.bias"), n)
	v.Route.Groups, v.Route.GroupsUsed = 0, 0
	v.Experts = graph.ExpertsSpec{Up: s.expertStack(name(i, "attn_v_exps"), s.NEmbd, s.NHeadKV*s.HeadDimV, n, unscaled), Act: graph.SiLU}
	return v
}

// groupNorm normalises each group of columns by itself.
func (m *k2Horizon) groupNorm(b *graph.Builder, x *graph.Tensor, n graph.NormWeights, name string) *graph.Tensor {
	return b.Name(b.NormHeads(x, n, m.group), name)
}

func (l *k2HorizonLayer) project(b *graph.Builder, h *graph.Tensor) (q, k, v *graph.Tensor) {
	if l.values == nil {
		return l.attn.Project(b, h)
	}
	q = b.Name(b.Linear(h, l.attn.Q), "Qcur")
	k = b.Name(b.Linear(h, l.attn.K), "Kcur")
	return q, k, b.Name(l.values.Apply(b, h), "Vcur")
}

func (m *k2Horizon) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	h := m.groupNorm(b, x, l.attnNorm, "attn_norm")
	q, k, v := l.project(b, h)
	q, k = l.qk.Heads(b, q, k, m.attn.DimK)
	q, k = rotate(b, q, k, m.attn.DimK, m.rope)
	x = b.Name(b.Add(x, l.gate.Attend(b, &l.attn, h, q, k, v, m.attn)), "ffn_inp")
	return b.Name(b.Add(x, l.ffn.Apply(b, m.groupNorm(b, x, l.ffnNorm, "ffn_norm"))), "l_out")
}

func (m *k2Horizon) forward() *graph.Graph {
	b := &graph.Builder{}
	x := b.Name(b.Embed(m.embd), "inp_embd")
	for i := range m.layers {
		b.SetLayer(i)
		x = m.block(b, x, i)
	}
	b.SetLayer(-1)
	hidden := m.groupNorm(b, b.Select(x), m.norm, "result_norm")
	return b.Finish(hidden, b.Name(b.Linear(hidden, m.out), "result_output"))
}

func init() { register("k2-horizon", newK2Horizon) }
