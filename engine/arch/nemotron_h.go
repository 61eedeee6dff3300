package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Nemotron-H (arXiv:2504.03624): every layer is one block, Mamba-2, attention without positions, or a feed-forward block with
// squared ReLU: x += block(norm(x)). The files say which by the heads and the feed-forward width of a layer.

func newNemotronH(s *source) architecture {
	p := s.ssm()
	return s.hybrid(s.ends(), func(i int) mixer {
		switch ff := s.Layers[i].NFF; {
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

func init() {
	register("nemotron_h", newNemotronH)
	register("nemotron_h_moe", newNemotronH)
}
