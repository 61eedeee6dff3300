package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Nemotron-H (arXiv:2504.03624) and Nemotron 3 (arXiv:2512.20856): every layer is one block, Mamba-2, attention without
// positions, or a feed-forward block with squared ReLU: x += block(norm(x)). Files say which by the heads and the feed-forward
// width of a layer. In Nemotron 3 the last kind are experts beside a shared one, chosen by sigmoids, often in a latent space.

func newNemotronH(s *source) architecture {
	p, moe := s.ssm(), s.routedExperts(graph.GateSigmoid)
	moe.Gating, moe.Act = graph.GateSigmoid, graph.ReLUSqr
	return s.hybrid(s.ends(), func(i int) mixer {
		switch ff := s.Layers[i].NFF; {
		case s.has(name(i, "ffn_gate_inp.weight")):
			return s.nemotronMoE(i, moe)
		case ff > 0:
			return s.squaredReLU(i, "", ff)
		case s.recurrent(i):
			return s.mamba2(i, p)
		}
		return s.attentionMixer(i, nil, nil)
	}, nil)
}

// squaredReLU binds down·max(up·x, 0)², of tensors with a suffix to their names.
func (s *source) squaredReLU(i int, suffix string, width int) *blocks.MLP {
	return &blocks.MLP{Act: graph.ReLUSqr,
		Up:   s.ffn(name(i, "ffn_up"+suffix), s.NEmbd, width, scaled),
		Down: s.ffn(name(i, "ffn_down"+suffix), width, s.NEmbd, scaled)}
}

// nemotronMoE binds experts without a gate.
func (s *source) nemotronMoE(i int, e experts) mixer {
	width := s.NEmbd
	latent := s.IntOr("moe_latent_size", 0)
	if latent > 0 {
		width = latent
	}
	m := &blocks.MoE{Router: s.ffn(name(i, "ffn_gate_inp"), s.NEmbd, e.N, unscaled), Route: e.RouteSpec}
	m.Experts = graph.ExpertsSpec{Act: e.Act, Up: s.expertStack(name(i, "ffn_up_exps"), width, e.NFF, e.N, scaled),
		Down: s.expertStack(name(i, "ffn_down_exps"), e.NFF, width, e.N, scaled)}
	m.Route.Bias = s.choosingBias(i, e.N)
	var routed blocks.FFN = m
	if latent > 0 {
		routed = &blocks.LatentMoE{MoE: m, Down: s.ffn(name(i, "ffn_latent_down"), s.NEmbd, latent, unscaled),
			Up: s.ffn(name(i, "ffn_latent_up"), latent, s.NEmbd, unscaled)}
	}
	return &blocks.Sum{A: routed, B: s.squaredReLU(i, "_shexp", s.IntOr("expert_shared_feed_forward_length", 0))}
}

func init() {
	register("nemotron_h", newNemotronH)
	register("nemotron_h_moe", newNemotronH)
}
