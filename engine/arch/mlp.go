package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// mlp binds the feed-forward block of each layer of models without a gate.
func (s *source) mlp(act graph.Activation) func(layer int) blocks.FFN {
	return func(i int) blocks.FFN {
		return &blocks.MLP{
			Up:   s.ffn(name(i, "ffn_up"), s.NEmbd, s.NFF, unscaled),
			Down: s.ffn(name(i, "ffn_down"), s.NFF, s.NEmbd, unscaled),
			Act:  act,
		}
	}
}
