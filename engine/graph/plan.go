package graph

import "sort"

// Plan places the tensors of a graph in memory. Offsets and sizes are float32 values a row: a tensor's row i of a batch
// with n rows is at Offset·n + i·Stride, so that one plan serves every batch size.
//
// Tensors with Outputs rows have an arena of their own, because they usually have far fewer rows.
type Plan struct {
	Offset  []int // by Tensor.ID, of the root's memory
	Tokens  int   // size of the arena of token rows
	Outputs int   // size of the arena of output rows
}

// Plan places tensors so that those alive at the same time do not overlap, first fit in order of creation. Element-wise
// ops write over an input that nobody reads any more.
//
// With keep, every tensor keeps its memory to the end, for looking inside.
func (g *Graph) Plan(keep bool) *Plan {
	p := &Plan{Offset: make([]int, len(g.Tensors))}
	last := g.lastUse(keep)
	var tokens, outputs arena
	for i, op := range g.Ops {
		dst := op.Writes()
		mem := &tokens
		if dst.Outputs {
			mem = &outputs
		}
		if from := overwritten(op, last, i); from != nil && !keep {
			p.Offset[dst.id] = p.Offset[from.id]
			mem.extend(p.Offset[from.id], last[dst.id])
			continue
		}
		mem.free(i)
		p.Offset[dst.id] = mem.place(dst.Stride(), last[dst.id])
	}
	for _, t := range g.Tensors {
		if t.Base != nil {
			p.Offset[t.id] = p.Offset[t.Base.id]
		}
	}
	p.Tokens, p.Outputs = tokens.size, outputs.size
	return p
}

// lastUse returns for each root tensor the index of the last op that reads it.
func (g *Graph) lastUse(keep bool) []int {
	last := make([]int, len(g.Tensors))
	for i, op := range g.Ops {
		last[op.Writes().Root().id] = i
		for _, t := range Reads(op) {
			last[t.Root().id] = i
		}
	}
	for id := range last {
		if keep || g.Tensors[id] == g.Hidden || g.Tensors[id] == g.Logits {
			last[id] = len(g.Ops)
		}
	}
	return last
}

// overwritten returns the input whose memory an element-wise op may take over, or nil.
func overwritten(op Op, last []int, i int) *Tensor {
	var in *Tensor
	switch op := op.(type) {
	case *Add:
		in = op.A
	case *Mul:
		in = op.A
	case *GLU:
		if op.A.Width == op.Dst.Width {
			in = op.A
		}
	case *AddVector:
		in = op.X
	case *Scale:
		in = op.X
	case *SoftCap:
		in = op.X
	case *PosScale:
		in = op.X
	case *Norm:
		in = op.X
	case *Rope:
		in = op.X
	case *Activate:
		in = op.X
	case *Clamp:
		in = op.X
	case *ScaleColumns:
		in = op.X
	}
	if in == nil || in.Base != nil || last[in.id] > i || in.Outputs != op.Writes().Outputs {
		return nil
	}
	return in
}

// arena is a first-fit allocator over time: spans live until the op that reads them last.
type arena struct {
	spans []span // by offset
	size  int
}

type span struct{ from, to, last int }

// free drops the spans that no op from i on reads.
func (a *arena) free(i int) {
	kept := a.spans[:0]
	for _, s := range a.spans {
		if s.last >= i {
			kept = append(kept, s)
		}
	}
	a.spans = kept
}

func (a *arena) place(width, last int) int {
	at := 0
	for _, s := range a.spans {
		if s.from-at >= width {
			break
		}
		at = max(at, s.to)
	}
	a.spans = append(a.spans, span{at, at + width, last})
	sort.Slice(a.spans, func(i, j int) bool { return a.spans[i].from < a.spans[j].from })
	a.size = max(a.size, at+width)
	return at
}

// extend prolongs the span at offset from.
func (a *arena) extend(from, last int) {
	for i := range a.spans {
		if a.spans[i].from == from {
			a.spans[i].last = max(a.spans[i].last, last)
			return
		}
	}
}
