package cpu

import (
	"slices"

	"github.com/llamakit/llamakit/engine/graph"
)

// fused are cheap steps that follow one another. In a batch of a few rows each of them has one part, so as one step they need one wait. Its
// own parts are chains of them without a tensor in common, as those of queries and of keys. With more rows, some of them become a rowRun.
type fused [][]step

// fuse returns the steps for batches of at most rowsAPart rows.
func fuse(steps []step, plan *graph.Plan) (all []step) {
	for len(steps) > 0 {
		n := 0
		for n < len(steps) && isCheap(steps[n]) {
			n++
		}
		if n > 0 {
			all = append(all, chains(steps[:n], plan))
		} else {
			n = 1
			all = append(all, steps[0])
		}
		steps = steps[n:]
	}
	return all
}

func isCheap(s step) bool {
	switch s.(type) {
	case *rowStep, *store, *ropeTable, *router, *serial:
		return true
	}
	return false
}

// chains splits steps into chains that have no tensor's memory in common, and keeps their order in each. If one of them does not say which
// tensors it uses, they are one chain.
func chains(steps []step, plan *graph.Plan) (f fused) {
	for _, s := range steps {
		local, ok := s.(rowLocal)
		if !ok || len(local.tensors()) == 0 {
			return fused{steps}
		}
		var chain []step
		var rest fused
		for _, other := range f {
			if slices.ContainsFunc(other, func(o step) bool { return meet(o.(rowLocal), local, plan) }) {
				chain = append(chain, other...)
			} else {
				rest = append(rest, other)
			}
		}
		f = append(rest, append(chain, s))
	}
	return f
}

// meet says whether a tensor of one step has memory in common with one of the other.
func meet(s, t rowLocal, plan *graph.Plan) bool {
	for _, a := range s.tensors() {
		for _, b := range t.tensors() {
			if a.Outputs == b.Outputs && overlap(a, b, plan) {
				return true
			}
		}
	}
	return false
}

func (f fused) parts(*run) int { return len(f) }

func (f fused) do(r *run, worker, part int) {
	for _, s := range f[part] {
		for part := range s.parts(r) {
			s.do(r, worker, part)
		}
	}
}
