package graph

// NormKind names a normalisation.
type NormKind int

const (
	// RMSNorm is x / sqrt(mean(x²) + eps) ⊙ w + b (Zhang and Sennrich 2019, arXiv:1910.07467).
	RMSNorm NormKind = iota
	// LayerNorm is (x - mean(x)) / sqrt(variance(x) + eps) ⊙ w + b (Ba et al. 2016, arXiv:1607.06450).
	LayerNorm
)

// NormWeights are a normalisation with what the file stores for it. A nil W multiplies by nothing, a nil B adds nothing.
type NormWeights struct {
	Kind NormKind
	W, B []float32
	Eps  float32
}

// Norm normalises segments of Seg columns, each by itself. N.W and N.B have Seg values, shared by all segments, or a value
// for every column of the row.
type Norm struct {
	Unary
	N   NormWeights
	Seg int
}

// Segment returns the values of w for the segment that begins at column at.
func (n *Norm) Segment(w []float32, at int) []float32 {
	if len(w) <= n.Seg {
		return w
	}
	return w[at : at+n.Seg]
}

// Norm normalises whole rows.
func (b *Builder) Norm(x *Tensor, n NormWeights) *Tensor { return b.NormHeads(x, n, x.Width) }

// NormHeads normalises each segment of dim columns by itself; the weights are shared by all segments or as wide as x.
func (b *Builder) NormHeads(x *Tensor, n NormWeights, dim int) *Tensor {
	for _, w := range [][]float32{n.W, n.B} {
		check(w == nil || len(w) == dim || len(w) == x.Width, "norm", x, dim, len(w))
	}
	check(x.Width%dim == 0, "norm", x, dim)
	return b.add(&Norm{Unary{b.tensor(x.Width, x), x}, n, dim})
}

// RMSNorm normalises whole rows; w may be nil.
func (b *Builder) RMSNorm(x *Tensor, w []float32, eps float32) *Tensor {
	return b.HeadNorm(x, w, eps, x.Width)
}

// HeadNorm is an RMSNorm of each segment of dim columns by itself.
func (b *Builder) HeadNorm(x *Tensor, w []float32, eps float32, dim int) *Tensor {
	return b.NormHeads(x, NormWeights{Kind: RMSNorm, W: w, Eps: eps}, dim)
}
