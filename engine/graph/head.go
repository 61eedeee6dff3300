package graph

// Continue returns a builder that goes on after the hidden states of g, to give it another head. What only the logits of g
// need is left out.
func (g *Graph) Continue() *Builder {
	needed := map[*Tensor]bool{g.Hidden.Root(): true}
	kept := len(g.Ops)
	ops := make([]Op, len(g.Ops))
	for i := len(g.Ops) - 1; i >= 0; i-- {
		op := g.Ops[i]
		if !needed[op.Writes().Root()] {
			continue
		}
		for _, t := range Reads(op) {
			needed[t.Root()] = true
		}
		kept--
		ops[kept] = op
	}
	b := &Builder{g: *g}
	b.g.Ops = ops[kept:]
	return b
}

// Mean is Dst = the mean of X over all rows of the wanted row's text in the batch: pooling before a head that is not linear.
// The text must be whole there, as it is where attention is Full.
type Mean struct{ Unary }

// Mean averages the rows of each text.
func (b *Builder) Mean(x *Tensor) *Tensor {
	t := b.tensor(x.Width, x)
	t.Outputs = true
	return b.add(&Mean{Unary{t, x}})
}

// Rows are the rows of all tokens of which the hidden states of g are the wanted ones; false where more than a Select lies
// between.
func (g *Graph) Rows() (*Tensor, bool) {
	for _, op := range g.Ops {
		if s, ok := op.(*Select); ok && s.Dst == g.Hidden {
			return s.X, true
		}
	}
	return nil, false
}
