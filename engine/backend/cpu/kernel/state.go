package kernel

import "fmt"

// StateStep takes one token through a recurrent state of len(k) rows of len(x) numbers each: for every row j, in order, and column c
//
//	state[j][c] = decay[j]*state[j][c] + k[j]*x[c]
//	y[c] += q[j]*state[j][c]
//
// so that the state is read and written once. It is the step of linear attention, of a state space model with heads (k and q are its B and C)
// and, with what a delta rule changes as x, of that.
func StateStep(state, decay, k, x, q, y []float32) {
	checkState(len(state), len(decay), len(k), len(x), len(q), len(y))
	if len(state) > 0 {
		current.stateStep(state, decay, k, x, q, y)
	}
}

// StateStepAhead is StateStep that also computes held[c] += ahead[j]*state[j][c] of the new state, with the bits of AccumulateFor: what the
// next token needs to know of it before its own step.
func StateStepAhead(state, decay, k, x, q, y, ahead, held []float32) {
	checkState(len(state), len(decay), len(k), len(x), len(q), len(y))
	checkState(len(state), len(decay), len(k), len(x), len(ahead), len(held))
	if len(state) > 0 {
		current.stateStepAhead(state, decay, k, x, q, y, ahead, held)
	}
}

func checkState(state, decay, k, x, q, y int) {
	if state != k*x || decay != k || q != k || y != x {
		panic(fmt.Sprintf("kernel: StateStep: %d numbers for %d rows of %d, with %d decays and %d weights of them, to %d sums", state, k, x, decay, q, y))
	}
}

func stateStepGeneric(state, decay, k, x, q, y []float32) {
	for j := range k {
		row := state[j*len(x):][:len(x)]
		for c := range row {
			row[c] = decay[j]*row[c] + k[j]*x[c]
			y[c] += q[j] * row[c]
		}
	}
}

func stateStepAheadGeneric(state, decay, k, x, q, y, ahead, held []float32) {
	stateStepGeneric(state, decay, k, x, q, y)
	for j, w := range ahead {
		for c, v := range state[j*len(x):][:len(x)] {
			held[c] += w * v // as accumulateF32Generic has it
		}
	}
}
