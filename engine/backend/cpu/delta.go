package cpu

import (
	"math"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
)

// delta is the step of graph.DeltaRule. A part is one head of values; its state has a row of values for each key channel, as in
// scan.
type delta struct {
	op         *graph.DeltaRule
	mem        *states
	dimK, dimV int
	work       [][]float32 // by worker: dimV values of what the key holds, dimK of decay
}

func (p *program) addDeltaRule(op *graph.DeltaRule) {
	d := &delta{op: op, mem: p.states, dimK: op.K.Width / op.KeyHeads, dimV: op.V.Width / op.Heads}
	d.work = p.perWorker(d.dimV + d.dimK)
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
	change, decay := d.work[worker][:d.dimV], d.work[worker][d.dimV:]
	from := d.keyHead(head) * d.dimK
	for i := span.Row; i < span.Row+span.N; i++ {
		d.decay(state, decay, r.row(d.op.G, i), head)
		k := r.row(d.op.K, i)[from : from+d.dimK]
		clear(change)
		weightedRows(change, d.dimV, k, d.dimK, float32Bytes(state), 1, d.dimK, d.dimV)
		v, beta := r.row(d.op.V, i)[head*d.dimV:(head+1)*d.dimV], r.row(d.op.Beta, i)[head]
		kernel.Scale(change, change, -beta)
		kernel.AddScaledRow(change, v, beta)
		weightedRows(state, d.dimV, k, 1, float32Bytes(change), d.dimK, 1, d.dimV)
		y := r.row(d.op.Dst, i)[head*d.dimV : (head+1)*d.dimV]
		clear(y)
		weightedRows(y, d.dimV, r.row(d.op.Q, i)[from:from+d.dimK], d.dimK, float32Bytes(state), 1, d.dimK, d.dimV)
	}
}

// decay multiplies the state by exp(G): all of it, or each key channel's row by its own.
func (d *delta) decay(state, decay, g []float32, head int) {
	if len(g) == d.op.Heads {
		kernel.Scale(state, state, float32(math.Exp(float64(g[head]))))
		return
	}
	copy(decay, g[head*d.dimK:])
	kernel.ExpSum(decay, 0) // of which only the exponentials are wanted
	for c, by := range decay {
		row := state[c*d.dimV : (c+1)*d.dimV]
		kernel.Scale(row, row, by)
	}
}
