package graph

import "slices"

// Narrow moves Select up: what only leads to the wanted rows is computed for those alone. In a decoder that is everything
// after the attention of the last layer, most of a layer for a prompt of which one row is wanted.
func (g *Graph) Narrow() {
	at := slices.IndexFunc(g.Ops, func(op Op) bool { _, ok := op.(*Select); return ok })
	if at < 0 {
		return
	}
	narrowed := g.narrowable(at)
	selected := map[*Tensor]*Tensor{} // token rows -> the same, wanted rows only
	var ops []Op
	for i, op := range g.Ops {
		switch sel, isSelect := op.(*Select); {
		case isSelect && narrowed[sel.X]:
			selected[sel.Dst] = sel.X // the rows are there already, under the old name
		case narrowed[op.Writes()] || i > at:
			for _, in := range op.Reads() {
				if i < at && !narrowed[in] && selected[in] == nil {
					selected[in] = &Tensor{Width: in.Width, Outputs: true, id: len(g.Tensors)}
					g.Tensors = append(g.Tensors, selected[in])
					ops = append(ops, &Select{Unary{selected[in], in}})
				}
			}
			ops = append(ops, replaceInputs(op, selected))
			op.Writes().Outputs = true
		default:
			ops = append(ops, op)
		}
	}
	g.Ops = ops
	for _, result := range []**Tensor{&g.Hidden, &g.Logits} {
		if s := selected[*result]; s != nil {
			*result = s
		}
	}
}

// narrowable finds the tensors before the Select at index at that only it needs, directly or not.
func (g *Graph) narrowable(at int) map[*Tensor]bool {
	readers := map[*Tensor][]*Tensor{} // what is computed from a tensor
	for _, op := range g.Ops {
		for _, in := range op.Reads() {
			readers[in.Root()] = append(readers[in.Root()], op.Writes())
		}
	}
	viewed := map[*Tensor]bool{}
	for _, t := range g.Tensors {
		viewed[t.Root()] = viewed[t.Root()] || t.Base != nil
	}
	narrowed := map[*Tensor]bool{}
	for _, op := range slices.Backward(g.Ops[:at]) {
		dst := op.Writes()
		all := len(readers[dst]) > 0 && !viewed[dst]
		for _, r := range readers[dst] {
			all = all && (narrowed[r] || r == g.Ops[at].Writes())
		}
		narrowed[dst] = all && rowWise(op)
	}
	return narrowed
}

// rowWise says whether a row of the result follows from the same row of the inputs alone, whatever its position.
func rowWise(op Op) bool {
	switch op.(type) {
	case *Embed, *EmbedPosition, *Mean, *Attention, *Rope, *PosScale, *Conv, *Scan, *DeltaRule, *Index, *Compress, *NGrams:
		return false
	}
	return true
}

// replaceInputs makes op read the selected rows of its inputs.
func replaceInputs(op Op, selected map[*Tensor]*Tensor) Op {
	swap := func(in **Tensor) {
		if s := selected[*in]; s != nil {
			*in = s
		}
	}
	switch op := op.(type) {
	case *MatMul:
		swap(&op.X)
	case *Norm:
		swap(&op.X)
	case *Pad:
		swap(&op.X)
	case *AddVector:
		swap(&op.X)
	case *Scale:
		swap(&op.X)
	case *SoftCap:
		swap(&op.X)
	case *Route:
		swap(&op.X)
	case *Activate:
		swap(&op.X)
	case *Slice:
		swap(&op.X)
	case *HeadMatMul:
		swap(&op.X)
	case *Repeat:
		swap(&op.X)
	case *StreamWeights:
		swap(&op.X)
	case *ResidualAttention:
		for i := range op.Xs {
			swap(&op.Xs[i])
		}
	case *Join:
		swap(&op.A)
		swap(&op.B)
	case *HeadDot:
		swap(&op.A)
		swap(&op.B)
	case *MixStreams:
		swap(&op.A)
		swap(&op.B)
	case *SpreadStreams:
		swap(&op.X)
		swap(&op.Y)
		swap(&op.W)
	case *Clamp:
		swap(&op.X)
	case *ScaleColumns:
		swap(&op.X)
	case *Add:
		swap(&op.A)
		swap(&op.B)
	case *Mul:
		swap(&op.A)
		swap(&op.B)
	case *GLU:
		swap(&op.A)
		swap(&op.B)
	case *Experts:
		swap(&op.X)
		swap(&op.Routing)
	}
	return op
}
