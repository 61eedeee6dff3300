package graph

import "slices"

// StreamSpec are the parameters of hyper-connections, which have several residual streams side by side in a row (Zhu et al. 2024,
// arXiv:2409.19606; with doubly stochastic mixing: Xie et al. 2025, arXiv:2512.24880).
type StreamSpec struct {
	Streams    int
	Scale      []float32 // of the columns for reading, writing and mixing
	Base       []float32 // a value a column
	Eps        float32   // added to the weights of reading
	Magnitude  float32   // of the weights of writing
	WriteEps   float32   // added to them
	Iterations int       // of Sinkhorn's normalisation, with Eps in its divisors
}

// StreamWeights turns X into the weights of n streams, with m = Scale·X + Base:
//
//	read   σ(m) + Eps                              n columns: what a layer's input has of each stream
//	write  Magnitude·σ(m) + WriteEps               n columns: what each stream gets of its output; may be left out
//	mix    Sinkhorn(softmax(m) by rows + Eps)      n·n columns, [from][to]: what each stream gets of the others; may be left out
//
// Sinkhorn's normalisation divides columns by their sums, then Iterations-1 times rows and columns.
type StreamWeights struct {
	Unary
	StreamSpec
}

// StreamWeights turns x into weights of streams.
func (b *Builder) StreamWeights(x *Tensor, s StreamSpec) *Tensor {
	n := s.Streams
	kinds := map[int]int{n: 1, 2 * n: 2, 2*n + n*n: 3}[x.Width]
	check(kinds > 0 && len(s.Scale) == kinds && len(s.Base) == x.Width, "weights of streams", x, n, len(s.Scale), len(s.Base))
	return b.add(&StreamWeights{Unary{b.tensor(x.Width, x), x}, s})
}

// MixStreams is the weighted sum of the streams of A: Dst = Σ_s B_s·A_s, with the first columns of B; without B their mean.
type MixStreams struct {
	Binary
	Streams int
}

func (m *MixStreams) inputs() []**Tensor { return given(&m.A, &m.B) }

// MixStreams reads the streams of x; w are StreamWeights, or nil for the mean.
func (b *Builder) MixStreams(x, w *Tensor, streams int) *Tensor {
	check(x.Width%streams == 0 && (w == nil || w.Width >= streams), "mix streams", x, w, streams)
	return b.add(&MixStreams{Binary{b.tensor(x.Width/streams, x), x, w}, streams})
}

// SpreadStreams adds the output Y of a layer to the streams X: Dst_d = write_d·Y + Σ_s mix_sd·X_s, or X_d in place of the sum where
// W has no mix. W are StreamWeights, or those of writing alone.
type SpreadStreams struct {
	Dst, X, Y, W *Tensor
	Streams      int
}

func (s *SpreadStreams) inputs() []**Tensor { return []**Tensor{&s.X, &s.Y, &s.W} }

// Writes returns Dst.
func (s *SpreadStreams) Writes() *Tensor { return s.Dst }

// SpreadStreams writes y to the streams of x.
func (b *Builder) SpreadStreams(x, y, w *Tensor, streams int) *Tensor {
	n := streams
	check(x.Width == n*y.Width && (w.Width == n || w.Width == 2*n || w.Width == 2*n+n*n), "spread to streams", x, y, w, n)
	return b.add(&SpreadStreams{Dst: b.tensor(x.Width, x), X: x, Y: y, W: w, Streams: n})
}

// Repeat is X, N times side by side.
type Repeat struct {
	Unary
	N int
}

// Repeat makes n streams of x, all alike.
func (b *Builder) Repeat(x *Tensor, n int) *Tensor {
	return b.add(&Repeat{Unary{b.tensor(n*x.Width, x), x}, n})
}

// ResidualAttention is a weighted mean of what earlier layers left: Dst = Σ_j softmax_j(Σ W ⊙ RMSNorm(Xs_j))·Xs_j, the norm for the
// scores alone (Attention Residuals: Kimi Team 2026, arXiv:2603.15031).
type ResidualAttention struct {
	Dst *Tensor
	Xs  []*Tensor
	W   []float32
	Eps float32
}

func (a *ResidualAttention) inputs() []**Tensor {
	list := make([]**Tensor, len(a.Xs))
	for i := range list {
		list[i] = &a.Xs[i]
	}
	return list
}

// Writes returns Dst.
func (a *ResidualAttention) Writes() *Tensor { return a.Dst }

// ResidualAttention is attention over xs, rows of the same token at different depths.
func (b *Builder) ResidualAttention(xs []*Tensor, w []float32, eps float32) *Tensor {
	for _, x := range xs {
		check(x.Width == len(w), "residual attention", x, len(w))
	}
	return b.add(&ResidualAttention{Dst: b.tensor(len(w), xs[0]), Xs: slices.Clone(xs), W: w, Eps: eps})
}
