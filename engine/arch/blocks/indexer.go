package blocks

import "github.com/llamakit/llamakit/engine/graph"

// Indexer is the lightning indexer of DeepSeek sparse attention (DeepSeek-V3.2: arXiv:2512.02556, section 2.1): a small attention
// without values whose scores say which keys the layer's attention sees.
type Indexer struct {
	QB     graph.Linear      // the layer's latent query to Spec.Heads heads
	K      graph.Linear      // NEmbd to one head
	KNorm  graph.NormWeights // (dim)
	Weight graph.Linear      // NEmbd to a weight a head
	Rope   *graph.RopeSpec   // nil: none
	Pool   *KeyPool          // makes one key of several tokens; nil: each has its own
	Spec   graph.IndexSpec

	in     *graph.Builder
	choice *graph.Index
}

// KeyPool makes one key of Ratio tokens: their mean by weights that a gate and the place among them give, channel by channel.
type KeyPool struct {
	Gate  graph.Linear
	Ape   []float32 // (dim, Ratio)
	Ratio int
}

// Choose records the choice for the normed rows h with latent queries latent. Layers that share an indexer share what it chose in
// the first of them.
func (x *Indexer) Choose(b *graph.Builder, h, latent *graph.Tensor) *graph.Index {
	if x.in == b {
		return x.choice
	}
	q := b.Name(b.Linear(latent, x.QB), "indexer_q")
	k := b.Norm(b.Linear(h, x.K), x.KNorm)
	if x.Rope != nil {
		dim := k.Width
		q, k = b.RoPE(q, dim, x.Rope), b.RoPE(k, dim, x.Rope)
	}
	if p := x.Pool; p != nil {
		k = b.Compress(k, b.Linear(h, p.Gate), p.Ape, p.Ratio, k.Width)
	}
	weight := b.Name(b.Linear(h, x.Weight), "indexer_weights")
	x.in, x.choice = b, b.Index(q, b.Name(k, "indexer_k"), weight, x.Spec)
	b.Name(x.choice.Dst, "indexer_top_k")
	return x.choice
}
