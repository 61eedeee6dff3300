package graph

// Slice is the columns [From, From+Len) of each head of Head columns, one head after another: a View of every head, which
// cannot be had without copying.
type Slice struct {
	Unary
	Head, From, Len int
}

// Slice takes n columns from column from on of each head of headDim columns.
func (b *Builder) Slice(x *Tensor, headDim, from, n int) *Tensor {
	check(x.Width%headDim == 0 && from >= 0 && from+n <= headDim, "slice", x, headDim, from, n)
	return b.add(&Slice{Unary{b.tensor(x.Width/headDim*n, x), x}, headDim, from, n})
}
