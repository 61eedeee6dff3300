package graph

// HeadMatMul multiplies heads with matrices of their own, a block-diagonal matrix: head h of Dst is W_h·x over the first W.In
// columns of head h of X, and then the head's other columns as they are. W has an expert a head.
type HeadMatMul struct {
	Unary
	W *Weight
}

// HeadLinear multiplies the first w.In columns of each head of x with the head's matrix; w has one an expert.
func (b *Builder) HeadLinear(x *Tensor, w *Weight) *Tensor {
	rest := x.Width - w.Experts*w.In
	check(rest >= 0 && rest%w.Experts == 0, "linear by heads", x, w.Name, w.In, w.Experts)
	return b.add(&HeadMatMul{Unary{b.tensor(w.Experts*w.Out+rest, x), x}, w})
}

// Join puts heads side by side: head h of Dst is [A_h | B_h]. B may have one head for all.
type Join struct {
	Binary
	Heads int
}

// Join puts the heads of a and c side by side; c has as many, or one that all of a share.
func (b *Builder) Join(a, c *Tensor, heads, dimC int) *Tensor {
	check(a.Width%heads == 0 && (c.Width == heads*dimC || c.Width == dimC), "join", a, c, heads, dimC)
	return b.add(&Join{Binary{b.tensor(a.Width+heads*dimC, a), a, c}, heads})
}

// HeadDot is the product of the heads of A and B: Dst_h = A_h·B_h.
type HeadDot struct{ Binary }

// HeadDot multiplies heads of two rows with each other.
func (b *Builder) HeadDot(a, c *Tensor, heads int) *Tensor {
	check(a.Width == c.Width && a.Width%heads == 0, "product of heads", a, c, heads)
	return b.add(&HeadDot{Binary{b.tensor(heads, a), a, c}})
}
