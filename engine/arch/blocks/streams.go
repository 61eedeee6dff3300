package blocks

import "github.com/llamakit/llamakit/engine/graph"

// HyperConnection joins a layer to several residual streams, in place of the residual sum (Hyper-Connections: Zhu et al. 2024,
// arXiv:2409.19606; mHC: Xie et al. 2025, arXiv:2512.24880). All streams together, normed, say how much the layer reads of each, how
// much of its output is written to each, and how the streams are mixed.
type HyperConnection struct {
	F    graph.Linear     // all streams to the weights
	Spec graph.StreamSpec // of the weights
	Eps  float32          // of the norm
}

// Read records what the layer reads of the streams x, and the weights that Write needs.
func (c *HyperConnection) Read(b *graph.Builder, x *graph.Tensor) (h, weights *graph.Tensor) {
	weights = b.StreamWeights(b.Linear(b.RMSNorm(x, nil, c.Eps), c.F), c.Spec)
	return b.Name(b.MixStreams(x, weights, c.Spec.Streams), "hc_pre"), weights
}

// Write records the streams after the layer's output y.
func (c *HyperConnection) Write(b *graph.Builder, x, y, weights *graph.Tensor) *graph.Tensor {
	return b.Name(b.SpreadStreams(x, y, weights, c.Spec.Streams), "hc_post")
}
