package cpu

import (
	"math"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/quant"
)

// delta is the step of graph.DeltaRule. A part is a head of values, whose state has a row for each key channel, as in scan. A row of
// the batch passes over it once, and finds what the next row's key holds on the way; that of the first is found before.
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
	held, change []float32 // values that the key holds, and what is added to them
	row, next    deltaRow
}

// deltaRow is what a row of the batch does to the key channels of a state.
type deltaRow struct {
	decay []float32
	key   []float32 // of the state before it decays
}

func (p *program) addDeltaRule(op *graph.DeltaRule) {
	d := &delta{op: op, mem: p.states, dimK: op.K.Width / op.KeyHeads, dimV: op.V.Width / op.Heads}
	for range p.crew.n {
		row := func() deltaRow { return deltaRow{p.floats(d.dimK), p.floats(d.dimK)} }
		d.work = append(d.work, deltaWork{p.floats(d.dimV), p.floats(d.dimV), row(), row()})
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
	w, from, first, end := &d.work[worker], head*d.dimV, d.keyHead(head)*d.dimK, span.Row+span.N
	d.begin(&w.row, r, span.Row, head)
	clear(w.held)
	weightedRows(w.held, d.dimV, w.row.key, d.dimK, float32Bytes(state), nil, d.dimV, 1, d.dimK, d.dimV)
	for i := span.Row; i < end; i++ {
		beta := r.row(d.op.Beta, i)[head]
		kernel.Scale(w.change, w.held, -beta)
		kernel.AddScaledRow(w.change, r.row(d.op.V, i)[from:from+d.dimV], beta)
		q, k := r.row(d.op.Q, i)[first:first+d.dimK], r.row(d.op.K, i)[first:first+d.dimK]
		y := r.row(d.op.Dst, i)[from : from+d.dimV]
		clear(y)
		if i == end-1 {
			kernel.StateStep(state, w.row.decay, k, w.change, q, y)
			return
		}
		d.begin(&w.next, r, i+1, head)
		clear(w.held)
		kernel.StateStepAhead(state, w.row.decay, k, w.change, q, y, w.next.key, w.held)
		w.row, w.next = w.next, w.row
	}
}

// begin computes what row i does to the key channels of a head's state.
func (d *delta) begin(row *deltaRow, r *run, i, head int) {
	d.decay(row.decay, r.row(d.op.G, i), head)
	from := d.keyHead(head) * d.dimK
	kernel.Mul(row.key, r.row(d.op.K, i)[from:from+d.dimK], row.decay)
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

// fill sets all of x to v.
func fill(x []float32, v float32) {
	if len(x) == 0 {
		return
	}
	x[0] = v
	for n := 1; n < len(x); n *= 2 {
		copy(x[n:], x[:n])
	}
}
