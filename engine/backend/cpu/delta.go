package cpu

import (
	"math"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
)

// delta is the step of graph.DeltaRule. A part is a block of a head's columns of values, whose state has a row for each key
// channel, as in scan. A row of the batch passes over it twice, to read what its key holds and to change it.
//
// The chunkwise form (Yang et al. 2024, arXiv:2406.06484) makes matrix products of many rows. It has a use where these are faster than
// one pass: here the state of a part lies in the nearest cache, and docs/architecture.md has what was measured.
type delta struct {
	op         *graph.DeltaRule
	mem        *states
	dimK, dimV int
	blocks     int // parts a head
	work       []deltaWork
}

// deltaWork is the scratch memory of a worker.
type deltaWork struct {
	change []float32 // of the values that the key holds
	decay  []float32 // of key channels
	key    []float32 // of the state before it decays
}

// deltaBlock is how many columns of values a part has.
const deltaBlock = 64

func (p *program) addDeltaRule(op *graph.DeltaRule) {
	d := &delta{op: op, mem: p.states, dimK: op.K.Width / op.KeyHeads, dimV: op.V.Width / op.Heads}
	d.blocks = chunks(d.dimV, deltaBlock)
	for range p.crew.n {
		d.work = append(d.work, deltaWork{p.floats(deltaBlock), p.floats(d.dimK), p.floats(d.dimK)})
	}
	p.steps = append(p.steps, &recurrence{op.Heads * d.blocks, d.run})
}

// keyHead is the head of queries and keys that a head of values uses.
func (d *delta) keyHead(head int) int {
	if d.op.Tiled {
		return head % d.op.KeyHeads
	}
	return head / (d.op.Heads / d.op.KeyHeads)
}

func (d *delta) run(r *run, worker int, span *backend.Span, part int) {
	head, w := part/d.blocks, &d.work[worker]
	from := head*d.dimV + part%d.blocks*deltaBlock
	to := min(from+deltaBlock, (head+1)*d.dimV)
	state := d.mem.of(d.op.State, span, from*d.dimK, to*d.dimK)
	change, first := w.change[:to-from], d.keyHead(head)*d.dimK
	for i := span.Row; i < span.Row+span.N; i++ {
		d.decay(w.decay, r.row(d.op.G, i), head)
		q, k := r.row(d.op.Q, i)[first:first+d.dimK], r.row(d.op.K, i)[first:first+d.dimK]
		kernel.Mul(w.key, k, w.decay)
		clear(change)
		weightedRows(change, len(change), w.key, d.dimK, float32Bytes(state), 1, d.dimK, len(change))
		beta := r.row(d.op.Beta, i)[head]
		kernel.Scale(change, change, -beta)
		kernel.AddScaledRow(change, r.row(d.op.V, i)[from:to], beta)
		y := r.row(d.op.Dst, i)[from:to]
		clear(y)
		kernel.StateStep(state, w.decay, k, q, change, y)
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
