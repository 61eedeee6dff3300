package cpu

import (
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
)

// prepared are rows in the form that a kernel multiplies.
type prepared struct {
	kernel kernel.MatMul
	k      int // values a row
	size   int // bytes a row
	acts   []byte
}

func (p *program) newPrepared(l graph.Linear, rows int) *prepared {
	m := kernel.MatMulFor(l.W.Type)
	a := &prepared{kernel: m, k: l.W.In, size: m.ActBytes(l.W.In)}
	a.acts = p.bytes(rows * a.size)
	return a
}

func (a *prepared) row(i int) []byte { return a.acts[i*a.size : (i+1)*a.size] }

// addMatMul adds two steps: prepare the rows of the input, multiply.
func (p *program) addMatMul(group []*graph.MatMul) {
	first := group[0]
	a := p.sharedPrepared(first.L.W, p.options.Rows)
	prepare := func(r *run, i int) { a.kernel.Prepare(a.row(i), r.row(first.X, i)) }
	p.steps = append(p.steps, &rowStep{dst: first.Dst, row: prepare, local: []*graph.Tensor{first.X}}, &matMul{prepared: a, ops: group})
	p.observeMatMul(group)
}

// sharedPrepared returns memory for rows to be multiplied with w. Steps that run one after another share it.
func (p *program) sharedPrepared(w *graph.Weight, rows int) *prepared {
	a := &prepared{kernel: kernel.MatMulFor(w.Type), k: w.In}
	a.size = a.kernel.ActBytes(a.k)
	if need := a.size * rows; need > p.actBytes {
		p.acts, p.actBytes = p.bytes(need), need
	}
	a.acts = p.acts
	return a
}

// matMul multiplies prepared rows with one or more matrices. A part is a range of weight rows: each weight is read once a
// batch.
type matMul struct {
	*prepared
	ops []*graph.MatMul
}

// chunk is how many weight rows make a part: some parts a worker, so that a disturbed worker can be helped out. With many rows of
// activations, few weights are work enough, and nobody waits long for the last part.
func (r *run) chunk(out, rows int) int {
	if rows >= 64 {
		return 32
	}
	return min(max(out/(4*r.crew.n)&^31, 32), 256)
}

func chunks(out, size int) int { return (out + size - 1) / size }

func (s *matMul) parts(r *run) int {
	if r.rows(s.ops[0].Dst) == 0 {
		return 0
	}
	n := 0
	for _, op := range s.ops {
		n += chunks(op.Dst.Width, r.chunk(op.Dst.Width, r.rows(op.Dst)))
	}
	return n
}

func (s *matMul) do(r *run, _, part int) {
	for _, op := range s.ops {
		size := r.chunk(op.Dst.Width, r.rows(op.Dst))
		n := chunks(op.Dst.Width, size)
		if part < n {
			from := part * size
			s.multiply(r, op, from, min(from+size, op.Dst.Width))
			return
		}
		part -= n
	}
}

// multiply computes the columns [from, to) of all rows of op.
func (s *matMul) multiply(r *run, op *graph.MatMul, from, to int) {
	rows := r.rows(op.Dst)
	ld := op.Dst.Stride()
	y := r.from(op.Dst, from)
	s.kernel.Rows(y, ld, op.L.W.Rows(from, to), s.acts, rows, s.k)
	if op.L.Bias == nil && op.L.Scale == nil {
		return
	}
	for i := range rows {
		finish(r.row(op.Dst, i)[from:to], op.L, 0, from, to)
	}
}

// from returns the memory of t from column col of its first row on.
func (r *run) from(t *graph.Tensor, col int) []float32 {
	mem, n := r.tokens, r.n
	if t.Outputs {
		mem, n = r.outputs, r.outs
	}
	at := r.plan.Offset[t.ID()]*n + t.Offset + col
	return mem[at:]
}

// finish applies the scale of an expert and the bias to its columns [from, to).
func finish(y []float32, l graph.Linear, expert, from, to int) {
	var bias []float32
	if l.Bias != nil {
		first := l.W.ExpertRow(expert)
		bias = l.Bias[first+from : first+to]
	}
	if bias != nil && l.ScaleBias {
		kernel.Add(y, y, bias)
	}
	if l.Scale != nil {
		kernel.Scale(y, y, l.Scale[expert])
	}
	if bias != nil && !l.ScaleBias {
		kernel.Add(y, y, bias)
	}
}
