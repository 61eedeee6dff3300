package cpu

import "github.com/llamakit/llamakit/engine/graph"

// rowRun are steps, one or more, that work row by row, with the same rows: a part takes its rows through all of them, so that what one
// writes is still in a cache for the next.
type rowRun []rowLocal

// rowLocal is a step whose part i reads and writes rows of part i alone.
type rowLocal interface {
	step
	// tensors are all that the step reads and writes, with rows for the same tokens; none: the step is not one of these. What it writes
	// besides, the cache or rows prepared for a product, is nothing to the cheap steps before and after it.
	tensors() []*graph.Tensor
}

func (s *rowStep) tensors() []*graph.Tensor { return s.local }

func (s *store) tensors() []*graph.Tensor { return []*graph.Tensor{s.x} }

func (u rowRun) parts(r *run) int { return u[0].parts(r) }

func (u rowRun) do(r *run, worker, part int) {
	for _, s := range u {
		s.do(r, worker, part)
	}
}

// joinRows makes runs of neighbours as long as no row lies where another row's do: tensors that are not alive at the same time may share
// memory.
func joinRows(steps []step, plan *graph.Plan) []step {
	var all []step
	var last rowRun // of all; nil: the step before is none
	for _, s := range steps {
		local, ok := s.(rowLocal)
		switch {
		case !ok || len(local.tensors()) == 0:
			all, last = append(all, s), nil
		case last != nil && fits(last, local, plan):
			last = append(last, local)
			all[len(all)-1] = last
		default:
			last = rowRun{local}
			all = append(all, last)
		}
	}
	return all
}

// fits says whether rows of next lie where the same rows of the others do, or no row does.
func fits(u rowRun, next rowLocal, plan *graph.Plan) bool {
	for _, s := range u {
		for _, a := range s.tensors() {
			for _, b := range next.tensors() {
				if a.Outputs != b.Outputs || overlap(a, b, plan) && !aligned(a, b, plan) {
					return false
				}
			}
		}
	}
	return true
}

// overlap says whether a and b, both of them of tokens or of outputs, have memory in common.
func overlap(a, b *graph.Tensor, plan *graph.Plan) bool {
	i, j := plan.Offset[a.ID()], plan.Offset[b.ID()]
	return i < j+b.Stride() && j < i+a.Stride()
}

// aligned says whether row i of one lies where row i of the other does.
func aligned(a, b *graph.Tensor, plan *graph.Plan) bool {
	return plan.Offset[a.ID()] == plan.Offset[b.ID()] && a.Stride() == b.Stride()
}
