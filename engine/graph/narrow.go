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
			for _, in := range op.inputs() {
				if i < at && !narrowed[*in] && selected[*in] == nil {
					s := &Tensor{Width: (*in).Width, Outputs: true, id: len(g.Tensors)}
					g.Tensors = append(g.Tensors, s)
					ops = append(ops, &Select{Unary{s, *in}})
					selected[*in] = s
				}
				if s := selected[*in]; s != nil {
					*in = s
				}
			}
			ops = append(ops, op)
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
		for _, in := range Reads(op) {
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
	case *Embed, *EmbedPosition, *Mean, *Attention, *Rope, *PosScale, *Conv, *Scan, *DeltaRule, *Index, *BlockIndex, *Compress, *NGrams:
		return false
	}
	return true
}
