package cpu

import (
	"math"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
)

// scan is the step of graph.Scan. A part is a head, or a block of heads that have one channel each. Its state has N rows of as
// many values as the part has channels, so that every loop runs along channels.
type scan struct {
	op    *graph.Scan
	mem   *states
	size  int // channels a part
	begin func(r *run, i int, p *scanPart)
	a     []float32  // of single channels: A with the layout of the state
	work  []scanPart // by worker
}

// scanPart is the work of one part on one row.
type scanPart struct {
	from, to    int       // channels
	x, y, state []float32 // input, output, N rows of state
	dx          []float32 // what goes into the state
	decay       []float32 // of its rows
	each        []float32 // of single channels: of its values
}

// scanBlock is how many heads of one channel make a part.
const scanBlock = 64

func (p *program) addScan(op *graph.Scan) {
	s := &scan{op: op, mem: p.states, size: op.X.Width / op.Heads}
	s.begin = s.beginHead
	each := 0
	if s.size == 1 {
		s.size, s.begin = min(scanBlock, op.Heads), s.beginChannels
		s.a, each = p.floats(op.Heads*op.N), s.size*op.N
		s.spreadA()
	}
	for range p.crew.n {
		w := scanPart{dx: p.floats(s.size), decay: p.floats(op.N), each: p.floats(each)}
		fill(w.decay, 1)
		s.work = append(s.work, w)
	}
	p.steps = append(p.steps, &recurrence{chunks(op.X.Width, s.size), s.run})
}

// spreadA brings A into the layout of the state. (In a plan there is none.)
func (s *scan) spreadA() {
	for c := range len(s.a) / s.op.N {
		first := c / s.size * s.size
		channels := min(s.size, s.op.Heads-first)
		for n := range s.op.N {
			s.a[first*s.op.N+n*channels+c-first] = s.op.A[c*s.op.N+n]
		}
	}
}

func (s *scan) run(r *run, worker int, span *backend.Span, part int) {
	op := s.op
	p := &s.work[worker]
	p.from = part * s.size
	p.to = min(p.from+s.size, op.X.Width)
	n := p.to - p.from
	p.state = s.mem.of(op.State, span, p.from*op.N, p.to*op.N)
	group := p.from * op.B.Width / op.X.Width / op.N * op.N
	for i := span.Row; i < span.Row+span.N; i++ {
		p.x, p.y = r.row(op.X, i)[p.from:p.to], r.row(op.Dst, i)[p.from:p.to]
		s.begin(r, i, p)
		kernel.StateStep(p.state, p.decay, r.row(op.B, i)[group:group+op.N], p.dx[:n], r.row(op.C, i)[group:group+op.N], p.y)
	}
}

// beginHead sets decay = exp(Dt·A), dx = Dt·x and y = D·x for one head.
func (s *scan) beginHead(r *run, i int, p *scanPart) {
	head, step := p.from/s.size, float32(1)
	if s.op.Dt != nil {
		step = r.row(s.op.Dt, i)[head]
	}
	fill(p.decay, float32(math.Exp(float64(step)*float64(s.op.A[head]))))
	kernel.Scale(p.dx[:len(p.x)], p.x, step)
	if s.op.D == nil {
		clear(p.y)
		return
	}
	kernel.Scale(p.y, p.x, s.op.D[head])
}

// beginChannels is beginHead for channels with a step of their own, whose values of the state decay here, each by itself.
func (s *scan) beginChannels(r *run, i int, p *scanPart) {
	step, n := r.row(s.op.Dt, i)[p.from:p.to], p.to-p.from
	each := p.each[:len(p.state)]
	for at := 0; at < len(each); at += n {
		kernel.Mul(each[at:at+n], step, s.a[p.from*s.op.N+at:][:n])
	}
	kernel.ExpSum(each, 0) // of which only the exponentials are wanted
	kernel.Mul(p.state, p.state, each)
	kernel.Mul(p.dx[:n], p.x, step)
	if s.op.D == nil {
		clear(p.y)
		return
	}
	kernel.Mul(p.y, p.x, s.op.D[p.from:p.to])
}
