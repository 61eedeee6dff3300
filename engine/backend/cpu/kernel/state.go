package kernel

import "fmt"

// stateFunc is StateStep with n rows of d numbers.
type stateFunc = func(state, decay, k, q, x, y []float32)

// StateStep takes one token through a recurrent state of len(k) rows of len(x) numbers each: for every row j, in order, and column c
//
//	state[j][c] = decay[j]*state[j][c] + k[j]*x[c]
//	y[c] += q[j]*state[j][c]
//
// so that the state is read and written once. It is the step of linear attention, of a state space model with heads (k and q are its B and C)
// and, with what a delta rule changes as x, of that.
func StateStep(state, decay, k, q, x, y []float32) {
	n, d := len(k), len(x)
	if len(state) != n*d || len(decay) != n || len(q) != n || len(y) != d {
		panic(fmt.Sprintf("kernel: StateStep: %d numbers for %d rows of %d, with %d decays and %d queries, to %d sums", len(state), n, d, len(decay), len(q), len(y)))
	}
	if n > 0 && d > 0 {
		current.stateStep(state, decay, k, q, x, y)
	}
}

func stateStepGeneric(state, decay, k, q, x, y []float32) {
	for j := range k {
		row := state[j*len(x):][:len(x)]
		for c := range row {
			row[c] = decay[j]*row[c] + k[j]*x[c]
			y[c] += q[j] * row[c]
		}
	}
}
