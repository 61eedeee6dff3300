package arch

import (
	"fmt"
	"slices"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
)

// experts are the hyper-parameters of a mixture of experts; N is 0 in dense models.
type experts struct {
	N, NFF          int
	graph.RouteSpec // without Bias, which is a weight
	Act             graph.Activation
}

// experts reads the counts, for a router that is softmax with weights divided by their sum.
func (s *source) experts() experts {
	e := experts{N: s.IntOr("expert_count", 0)}
	e.Used = s.IntOr("expert_used_count", 0)
	e.Groups, e.GroupsUsed = s.IntOr("expert_group_count", 0), s.IntOr("expert_group_used_count", 0)
	e.Normalise = true
	for _, width := range s.IntsOrScalarOr("expert_feed_forward_length", s.NBlock(), 0) {
		e.NFF = max(e.NFF, width)
	}
	if e.NFF == 0 {
		e.NFF = s.NFF
	}
	if e.N > 0 && (e.N > maxHeads || e.Used < 1 || e.Used > e.N) {
		s.fail(fmt.Errorf("%w: %d of %d experts used", gguf.ErrCorrupt, e.Used, e.N))
	}
	if e.Groups > 1 && (e.N%e.Groups != 0 || e.GroupsUsed < 1 || e.GroupsUsed > e.Groups || e.GroupsUsed*e.N/e.Groups < e.Used) {
		s.fail(fmt.Errorf("%w: %d of %d experts in %d of %d groups used", gguf.ErrCorrupt, e.Used, e.N, e.GroupsUsed, e.Groups))
	}
	return e
}

// routedExperts is experts with the router that the file describes; gating is that of files that do not say it.
func (s *source) routedExperts(gating graph.Gating) experts {
	e := s.experts()
	e.Gating = gating
	if number := s.IntOr("expert_gating_func", 0); number != 0 {
		e.Gating = graph.Gating(number - 1)
	}
	if e.Gating < graph.GateSoftmax || e.Gating > graph.GateSqrtSoftplus {
		s.fail(fmt.Errorf("%w: key %s.expert_gating_func is %d", gguf.ErrUnsupported, s.arch, e.Gating+1))
	}
	e.Normalise = s.BoolOr("expert_weights_norm", false)
	e.Scale = float32(s.FloatOr("expert_weights_scale", 0))
	return e
}

// mixture binds a mixture of experts for each layer.
func (s *source) mixture(e experts, sc scaling) func(layer int) blocks.FFN {
	return func(i int) blocks.FFN { return s.moe(i, e, sc) }
}

// moe binds the experts of layer i.
func (s *source) moe(i int, e experts, sc scaling) *blocks.MoE {
	m := s.moeNamed(i, "_exps", s.NEmbd, e, sc)
	m.Router = s.ffn(name(i, "ffn_gate_inp"), s.NEmbd, e.N, unscaled)
	m.Route.Bias = s.choosingBias(i, e.N)
	return m
}

// moeNamed binds experts of width values without their router; gate and up may be one tensor, gate first.
func (s *source) moeNamed(i int, suffix string, width int, e experts, sc scaling) *blocks.MoE {
	m := &blocks.MoE{Route: e.RouteSpec}
	m.Experts = graph.ExpertsSpec{Act: e.Act, Down: s.expertStack(name(i, "ffn_down"+suffix), e.NFF, width, e.N, sc)}
	if fused := name(i, "ffn_gate_up"+suffix); s.has(fused + ".weight") {
		gateUp := split(s.expertStack(fused, width, 2*e.NFF, e.N, sc), e.NFF, e.NFF)
		m.Experts.Gate, m.Experts.Up = gateUp[0], gateUp[1]
		return m
	}
	m.Experts.Gate = s.expertStack(name(i, "ffn_gate"+suffix), width, e.NFF, e.N, sc)
	m.Experts.Up = s.expertStack(name(i, "ffn_up"+suffix), width, e.NFF, e.N, sc)
	return m
}

// choosingBias binds what layer i adds to the gates for choosing; nil where the file has none.
func (s *source) choosingBias(i, n int) []float32 {
	if bias := s.vectorOr(name(i, "exp_probs_b.bias"), n); bias != nil {
		return bias
	}
	return s.vectorOr(name(i, "exp_probs_b"), n)
}

// withShared adds the shared expert of layer i to a mixture where the file has one.
func (s *source) withShared(i int, m *blocks.MoE, sc scaling) blocks.FFN {
	if shared := s.shared(i, m.Experts.Act, sc); shared != nil {
		return &blocks.Shared{MoE: m, Expert: shared}
	}
	return m
}

// withGatedShared is withShared with a gate on the shared expert.
func (s *source) withGatedShared(i int, m *blocks.MoE, sc scaling) blocks.FFN {
	shared := s.shared(i, m.Experts.Act, sc)
	if shared == nil {
		return m
	}
	gate := s.ffn(name(i, "ffn_gate_inp_shexp"), s.NEmbd, 1, unscaled)
	return &blocks.Shared{MoE: m, Expert: &blocks.Gated{Gate: gate, FFN: shared}}
}

// shared binds the shared expert of layer i, or several side by side; nil where the file has none. Its width is the tensor's
// own: files say it by a count, a width or both, differently in each family.
func (s *source) shared(i int, act graph.Activation, sc scaling) *blocks.GLU {
	up, ok := s.file.Tensor(name(i, "ffn_up_shexp.weight"))
	if !ok || len(up.Shape) < 2 {
		return nil
	}
	return s.gluNamed(i, "_shexp", up.Shape[1], act, sc)
}

// deepSeekMoE binds the feed-forward blocks of DeepSeekMoE (arXiv:2401.06066): dense in the leading layers, then experts
// beside shared ones.
func (s *source) deepSeekMoE(e experts, sc scaling) func(layer int) blocks.FFN {
	lead := s.IntOr("leading_dense_block_count", 0)
	return func(i int) blocks.FFN {
		if i < lead {
			return s.glu(i, e.Act, sc)
		}
		return s.withShared(i, s.moe(i, e, sc), sc)
	}
}

// limits reads the bounds of gated units by layer, with a standard for files that lack the key; those up to 1e-6 are none.
func (s *source) limits(key string, standard float32) []float32 {
	limits := slices.Repeat([]float32{standard}, s.NLayer)
	if s.Has(key) {
		copy(limits, s.FloatsOrScalar(key, s.NBlock()))
	}
	for i, l := range limits {
		if !(l > 1e-6) {
			limits[i] = 0
		}
	}
	return limits
}

// limited bounds the gated units of a block: those of experts, and those of dense and shared blocks.
func limited(ffn blocks.FFN, experts, others float32) blocks.FFN {
	switch f := ffn.(type) {
	case *blocks.GLU:
		f.Limit = others
	case *blocks.MoE:
		f.Experts.Limit = experts
	case *blocks.Shared:
		limited(f.MoE, experts, others)
		limited(f.Expert, experts, others)
	}
	return ffn
}
