package blocks

import "github.com/llamakit/llamakit/engine/graph"

// Indexer is the lightning indexer of DeepSeek sparse attention (DeepSeek-V3.2: arXiv:2512.02556, section 2.1): a small attention
// without values whose scores say which keys the layer's attention sees.
type Indexer struct {
	Q      graph.Linear       // to Spec.Heads heads
	QNorm  *graph.NormWeights // of each head; nil: none
	Rope   *graph.RopeSpec    // of the heads; nil: none
	Keys   FFN                // IndexKeys or a Compressor: one head
	Weight graph.Linear       // to a weight a head; no W: ones
	Spec   graph.IndexSpec

	in     *graph.Builder
	choice *graph.Choice
}

// Choose records the choice for the normed rows h, with queries of the rows latent. Layers that share an indexer share what it chose in
// the first of them.
func (x *Indexer) Choose(b *graph.Builder, h, latent *graph.Tensor) *graph.Choice {
	if x.in == b {
		return x.choice
	}
	q, k := b.Linear(latent, x.Q), b.Name(x.Keys.Apply(b, h), "indexer_k")
	if x.QNorm != nil {
		q = b.NormHeads(q, *x.QNorm, k.Width)
	}
	if x.Rope != nil {
		q = b.RoPE(q, k.Width, x.Rope)
	}
	var weight *graph.Tensor
	if x.Weight.W != nil {
		weight = b.Name(b.Linear(h, x.Weight), "indexer_weights")
	}
	x.in, x.choice = b, b.Index(b.Name(q, "indexer_q"), k, weight, x.Spec)
	b.Name(x.choice.Dst, "indexer_top_k")
	return x.choice
}

// IndexKeys are keys of single tokens.
type IndexKeys struct {
	K    graph.Linear
	Norm *graph.NormWeights // nil: none
	Rope *graph.RopeSpec    // nil: none
}

// Apply records the keys of the normed rows h.
func (k *IndexKeys) Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor {
	return normRotate(b, b.Linear(h, k.K), k.Norm, k.Rope)
}

// Compressor makes one key of each Ratio tokens: their mean, by weights that a gate and the place in the block give channel by channel
// (Native Sparse Attention: Yuan et al. 2025, arXiv:2502.11089, section 3.3.1). Keys are rotated to the first position of their block.
type Compressor struct {
	X            *IndexKeys   // what the mean is of: Width columns, or 2·Width where blocks overlap
	Gate         graph.Linear // as many columns; no W: all tokens count alike
	Ape          []float32    // (columns, Ratio)
	Ratio, Width int
	Norm         *graph.NormWeights // of the mean; nil: none
	Rope         *graph.RopeSpec    // shifted by Ratio-1; nil: none
}

// Apply records the keys of the normed rows h: that of a block in the row of its last token.
func (c *Compressor) Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor {
	x := c.X.Apply(b, h)
	var gate *graph.Tensor
	if c.Gate.W != nil {
		gate = b.Linear(h, c.Gate)
	}
	return normRotate(b, b.Compress(x, gate, c.Ape, c.Ratio, c.Width), c.Norm, c.Rope)
}

func normRotate(b *graph.Builder, k *graph.Tensor, norm *graph.NormWeights, rope *graph.RopeSpec) *graph.Tensor {
	if norm != nil {
		k = b.Norm(k, *norm)
	}
	if rope != nil {
		k = b.RoPE(k, k.Width, rope)
	}
	return k
}

// BlockIndexer chooses blocks of keys for each key head of attention, as graph.BlockIndex says.
type BlockIndexer struct {
	Q, K         graph.Linear      // to Spec.Heads heads and to one
	QNorm, KNorm graph.NormWeights // of each head
	Rope         *graph.RopeSpec
	Spec         graph.BlockSpec
}

// Choose records the choice for the normed rows h.
func (x *BlockIndexer) Choose(b *graph.Builder, h *graph.Tensor) *graph.Choice {
	k := b.Linear(h, x.K)
	q := b.RoPE(b.NormHeads(b.Linear(h, x.Q), x.QNorm, k.Width), k.Width, x.Rope)
	return b.BlockIndex(b.Name(q, "indexer_q"), b.Name(normRotate(b, k, &x.KNorm, x.Rope), "indexer_k"), x.Spec)
}

// BlockAttention is attention to the blocks that an indexer chooses.
type BlockAttention struct {
	Attention
	Index BlockIndexer
}

// Apply records attention over the normed rows h.
func (a *BlockAttention) Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor {
	q, k, v := a.Project(b, h)
	q, k = a.place(b, q, k)
	spec := a.Spec
	spec.Keys = a.Index.Choose(b, h)
	return a.Attend(b, q, k, v, spec)
}
