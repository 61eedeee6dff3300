package blocks

import "github.com/llamakit/llamakit/engine/graph"

// MLP is a feed-forward block with one hidden layer: down·act(up·x) (Vaswani et al. 2017, arXiv:1706.03762, section 3.3).
type MLP struct {
	Up, Down graph.Linear
	Act      graph.Activation
}

// Apply records the block.
func (f *MLP) Apply(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
	up := b.Name(b.Linear(x, f.Up), "ffn_up")
	return b.Name(b.Linear(b.Activate(up, f.Act), f.Down), "ffn_out")
}
