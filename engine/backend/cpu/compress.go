package cpu

import (
	"math"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
)

// compress is the step of graph.Compress. A part is a block of channels of Dst, whose softmax over the tokens of a block goes
// online, as in attention: the state has, for each channel of X, the greatest gate so far, the sum of exponentials and the weighted
// sum of values. Where blocks overlap it has that twice: of the block under way, and of what the next one takes over from it.
type compress struct {
	op   *graph.Compress
	mem  *states
	work [][]float32 // by worker: exponents of the sums so far and of a token
}

// compressBlock is how many channels a part has.
const compressBlock = 128

func (p *program) addCompress(op *graph.Compress) {
	c := &compress{op: op, mem: p.states, work: p.perWorker(2 * compressBlock)}
	p.steps = append(p.steps, &recurrence{chunks(op.Dst.Width, compressBlock), c.run})
}

func (c *compress) run(r *run, worker int, span *backend.Span, block int) {
	from := block * compressBlock
	to := min(from+compressBlock, c.op.Dst.Width)
	halves := c.op.X.Width / c.op.Dst.Width
	size := graph.CompressState * (to - from)
	first := graph.CompressState * halves * from
	state := c.mem.of(c.op.State, span, first, first+size*halves)
	own, next := sums(state[:size]), sums(nil)
	if c.op.Overlaps() {
		next = sums(state[size:])
	}
	if span.Past == 0 {
		own.empty()
		next.empty() // of no channels, where there is none
	}
	for t := range span.N {
		place := (span.Past + t) % c.op.Ratio
		switch {
		case place > 0:
		case next == nil:
			own.empty()
		case span.Past+t > 0:
			copy(own, next)
			next.empty()
		}
		c.add(own, r, worker, span.Row+t, place, c.op.X.Width-c.op.Dst.Width+from, to-from)
		if next != nil {
			c.add(next, r, worker, span.Row+t, place, from, to-from)
		}
		own.mean(r.row(c.op.Dst, span.Row+t)[from:to])
	}
}

// add adds n channels, from column from on, of a row that has a place in its block.
func (c *compress) add(s sums, r *run, worker, row, place, from, n int) {
	x, gate := r.row(c.op.X, row)[from:from+n], c.work[worker][:n]
	clear(gate)
	if c.op.Gate != nil {
		copy(gate, r.row(c.op.Gate, row)[from:from+n])
	}
	if c.op.Ape != nil {
		kernel.Add(gate, gate, c.op.Ape[place*c.op.X.Width+from:][:n])
	}
	s.add(x, gate, c.work[worker][compressBlock:][:n])
}

// sums are greatest gates, sums of exponentials and weighted sums, as many of each.
type sums []float32

func (s sums) parts() (greatest, total, weighted []float32) {
	n := len(s) / graph.CompressState
	return s[:n], s[n : 2*n], s[2*n:]
}

func (s sums) empty() {
	clear(s)
	greatest, _, _ := s.parts()
	for i := range greatest {
		greatest[i] = float32(math.Inf(-1))
	}
}

// add adds a value with a gate to each channel; old is scratch memory.
func (s sums) add(x, gate, old []float32) {
	greatest, total, weighted := s.parts()
	for i, g := range gate {
		top := max(greatest[i], g)
		old[i], gate[i], greatest[i] = greatest[i]-top, g-top, top
	}
	kernel.ExpSum(old, 0) // of which only the exponentials are wanted
	kernel.ExpSum(gate, 0)
	kernel.Mul(total, total, old)
	kernel.Add(total, total, gate)
	kernel.Mul(weighted, weighted, old)
	kernel.Mul(gate, gate, x)
	kernel.Add(weighted, weighted, gate)
}

func (s sums) mean(dst []float32) {
	_, total, weighted := s.parts()
	for i, t := range total {
		dst[i] = weighted[i] / t
	}
}
