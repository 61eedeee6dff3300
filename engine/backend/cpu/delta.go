package cpu

import (
	"math"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/quant"
)

// delta is the step of graph.DeltaRule. A part is a head of values, whose state has a row for each key channel, as in scan. A row of
// the batch passes over it twice: to read what its key holds, and to change it.
//
// The chunkwise form (Yang et al. 2024, arXiv:2406.06484) makes matrix products of many rows. docs/architecture.md says why it is not here.
type delta struct {
	op         *graph.DeltaRule
	mem        *states
	dimK, dimV int
	work       []deltaWork
}

// weightedRows computes acc[i] += Σ_j p[i][j]·v[j] for m rows of acc and n rows of v; see kernel.AccumulateFor.
var weightedRows = kernel.AccumulateFor(quant.F32)

// deltaWork is the scratch memory of a worker.
type deltaWork struct {
	change []float32 // of the values that the key holds
	decay  []float32 // of key channels
	key    []float32 // of the state before it decays
}

func (p *program) addDeltaRule(op *graph.DeltaRule) {
	d := &delta{op: op, mem: p.states, dimK: op.K.Width / op.KeyHeads, dimV: op.V.Width / op.Heads}
	for range p.crew.n {
		d.work = append(d.work, deltaWork{p.floats(d.dimV), p.floats(d.dimK), p.floats(d.dimK)})
	}
	p.steps = append(p.steps, &recurrence{op.Heads, d.run})
}

// keyHead is the head of queries and keys that a head of values uses.
func (d *delta) keyHead(head int) int {
	if d.op.Tiled {
		return head % d.op.KeyHeads
	}
	return head / (d.op.Heads / d.op.KeyHeads)
}

func (d *delta) run(r *run, worker int, span *backend.Span, head int) {
	state := d.mem.of(d.op.State, span, head*d.dimK*d.dimV, (head+1)*d.dimK*d.dimV)
	w, from, first := &d.work[worker], head*d.dimV, d.keyHead(head)*d.dimK
	for i := span.Row; i < span.Row+span.N; i++ {
		d.decay(w.decay, r.row(d.op.G, i), head)
		q, k := r.row(d.op.Q, i)[first:first+d.dimK], r.row(d.op.K, i)[first:first+d.dimK]
		kernel.Mul(w.key, k, w.decay)
		clear(w.change)
		weightedRows(w.change, d.dimV, w.key, d.dimK, float32Bytes(state), d.dimV, 1, d.dimK, d.dimV)
		beta := r.row(d.op.Beta, i)[head]
		kernel.Scale(w.change, w.change, -beta)
		kernel.AddScaledRow(w.change, r.row(d.op.V, i)[from:from+d.dimV], beta)
		y := r.row(d.op.Dst, i)[from : from+d.dimV]
		clear(y)
		kernel.StateStep(state, w.decay, k, q, w.change, y)
	}
}

// decay computes exp(G) for each key channel of a head, or one for all.
func (d *delta) decay(decay, g []float32, head int) {
	if len(g) == d.op.Heads {
		fill(decay, float32(math.Exp(float64(g[head]))))
		return
	}
	copy(decay, g[head*d.dimK:])
	kernel.ExpSum(decay, 0) // of which only the exponentials are wanted
}

func fill(x []float32, v float32) {
	for i := range x {
		x[i] = v
	}
}
