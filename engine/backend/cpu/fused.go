package cpu

// fused are cheap steps that follow one another. In a batch of a few rows each of them is one part, so as one step they need one wait.
// With more rows, some of them become a rowRun.
type fused []step

// fuse returns the steps for batches of at most rowsAPart rows.
func fuse(steps []step) []step {
	var all []step
	var last fused // of all, nil: it takes no more
	for _, s := range steps {
		switch {
		case !isCheap(s):
			all, last = append(all, s), nil
		case last == nil:
			last = fused{s}
			all = append(all, last)
		default:
			last = append(last, s)
			all[len(all)-1] = last
		}
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

func (f fused) parts(*run) int { return 1 }

func (f fused) do(r *run, worker, _ int) {
	for _, s := range f {
		for part := range s.parts(r) {
			s.do(r, worker, part)
		}
	}
}
