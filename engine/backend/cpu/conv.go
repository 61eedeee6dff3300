package cpu

import (
	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
)

// conv is the step of graph.Conv. A part is a block of channels, whose state is the last Taps-1 rows, the oldest first.
type conv struct {
	op   *graph.Conv
	mem  *states
	taps [][]float32 // weights of all channels, by tap
}

// convBlock is how many channels a part has.
const convBlock = 256

func (p *program) addConv(op *graph.Conv) {
	width := op.X.Width
	c := &conv{op: op, mem: p.states}
	for j := range op.Taps {
		tap := p.floats(width)
		for i := range tap {
			tap[i] = op.W[i*op.Taps+j]
		}
		c.taps = append(c.taps, tap)
	}
	p.steps = append(p.steps, &recurrence{chunks(width, convBlock), c.run})
}

func (c *conv) run(r *run, _ int, span *backend.Span, block int) {
	from := block * convBlock
	to := min(from+convBlock, c.op.X.Width)
	back := c.op.Taps - 1
	in := convInput{r: r, x: c.op.X, span: span, from: from, to: to, back: back,
		kept: c.mem.of(c.op.State, span, back*from, back*to)}
	for t := range span.N {
		y := r.row(c.op.Dst, span.Row+t)[from:to]
		kernel.Mul(y, in.row(t-back), c.taps[0][from:to])
		for j := 1; j <= back; j++ {
			kernel.AddMul(y, in.row(t-back+j), c.taps[j][from:to])
		}
		if c.op.Bias != nil {
			kernel.Add(y, y, c.op.Bias[from:to])
		}
	}
	for j := range back { // from the oldest on: a kept row is read before it is overwritten
		copy(in.row(j-back), in.row(span.N+j-back))
	}
}

// convInput are a block's rows of a span, and those kept from before it.
type convInput struct {
	r        *run
	x        *graph.Tensor
	span     *backend.Span
	from, to int
	back     int       // rows kept
	kept     []float32 // rows -back to -1 of the span
}

func (in *convInput) row(t int) []float32 {
	if t >= 0 {
		return in.r.row(in.x, in.span.Row+t)[in.from:in.to]
	}
	width := in.to - in.from
	return in.kept[(t+in.back)*width : (t+in.back+1)*width]
}
