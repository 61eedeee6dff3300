package cpu

import (
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/quant"
)

// moe computes a mixture of experts. Every row has Used assignments; they are sorted by expert, so that an expert's matrices
// are multiplied with all its rows at once. A row's result is summed in the order of its routing.
type moe struct {
	op       *graph.Experts
	inputs   []gathered // one for each type of gate and up
	hidden   *prepared  // rows between the matrices, by assignment
	gate, up []float32  // NFF an assignment; without a gate, gate holds up's products
	out      []float32  // Dst.Width an assignment

	place []int32 // by row·Used + rank: the assignment
	first []int32 // by expert: its first assignment; one more at the end
	busy  []int32 // experts that have assignments
	at    []int32 // scratch of sort
}

// gathered are the rows of the input as a type of matrices is multiplied with, by row and by assignment.
type gathered struct {
	typ                 quant.Type
	byRow, byAssignment *prepared
}

func (p *program) addExperts(op *graph.Experts) {
	n, ff := p.options.Rows*op.Used, op.Up.W.Out
	m := &moe{op: op, gate: p.floats(n * ff),
		place: take[int32](&p.scratch, n), first: take[int32](&p.scratch, op.Up.W.Experts+1), at: take[int32](&p.scratch, op.Up.W.Experts),
		busy: take[int32](&p.scratch, op.Up.W.Experts)[:0],
	}
	var products []expertProduct
	var act func(dst, gate, up []float32)
	if op.Gate.W == nil {
		products, act = []expertProduct{{op.Up, m.gate, m.input(p, op.Up)}}, ungated(op.Act)
	} else {
		m.up = p.floats(n * ff)
		products = []expertProduct{{op.Gate, m.gate, m.input(p, op.Gate)}, {op.Up, m.up, m.input(p, op.Up)}}
		act = glu(op.Act, op.Limit, op.Beta)
	}
	p.add(op, func(r *run, i int) {
		for _, in := range m.inputs {
			in.byRow.kernel.Prepare(in.byRow.row(i), r.row(op.X, i))
		}
	})
	p.steps = append(p.steps, &serial{m.sort})
	p.add(op, m.gather)
	p.steps = append(p.steps, &expertMatMul{m, products})
	p.add(op, func(r *run, i int) {
		for rank, j := range m.assignments(i) {
			m.activate(act, int(j), r.row(op.Routing, i)[op.Used+rank])
		}
	})
	if m.out = m.gate; op.Down.W != nil {
		m.addDown(p, n)
	}
	p.add(op, m.combine)
	p.observeExperts(m)
}

// input returns the rows, by assignment, that the matrices of l are multiplied with.
func (m *moe) input(p *program, l graph.Linear) *prepared {
	for _, in := range m.inputs {
		if in.typ == l.W.Type {
			return in.byAssignment
		}
	}
	in := gathered{l.W.Type, p.newPrepared(l, p.options.Rows), p.newPrepared(l, p.options.Rows*m.op.Used)}
	m.inputs = append(m.inputs, in)
	return in.byAssignment
}

// ungated is an activation in the form of a gated one that does not look at up.
func ungated(a graph.Activation) func(dst, gate, _ []float32) {
	act := activation(a)
	return func(dst, gate, _ []float32) { act(dst, gate) }
}

// activate computes the hidden values of assignment j, of weight w, in place.
func (m *moe) activate(act func(dst, gate, up []float32), j int, w float32) {
	ff := m.op.Up.W.Out
	gate, up := m.gate[j*ff:(j+1)*ff], m.up
	if up != nil {
		up = up[j*ff : (j+1)*ff]
	}
	if m.op.WeightFirst { // the matrices are linear: before them and after them is the same
		kernel.Scale(gate, gate, w)
		kernel.Scale(up, up, w)
	}
	act(gate, gate, up)
}

// addDown multiplies the hidden values with the last matrix of their experts.
func (m *moe) addDown(p *program, assignments int) {
	m.hidden, m.out = p.newPrepared(m.op.Down, assignments), p.floats(assignments*m.op.Dst.Width)
	ff := m.op.Up.W.Out
	p.add(m.op, func(r *run, i int) {
		for _, j := range m.assignments(i) {
			m.hidden.kernel.Prepare(m.hidden.row(int(j)), m.gate[int(j)*ff:int(j+1)*ff])
		}
	})
	p.steps = append(p.steps, &expertMatMul{m, []expertProduct{{m.op.Down, m.out, m.hidden}}})
}

// serial is a step of one part.
type serial struct{ run func(r *run) }

func (s *serial) parts(*run) int      { return 1 }
func (s *serial) do(r *run, _, _ int) { s.run(r) }

// sort numbers the assignments by expert, rows in order inside (a counting sort).
func (m *moe) sort(r *run) {
	clear(m.first)
	m.busy = m.busy[:0]
	for i := range r.rows(m.op.Dst) {
		for _, id := range r.row(m.op.Routing, i)[:m.op.Used] {
			m.first[int(id)+1]++
		}
	}
	for e := range m.at {
		if m.first[e+1] > 0 {
			m.busy = append(m.busy, int32(e))
		}
		m.first[e+1] += m.first[e]
		m.at[e] = m.first[e]
	}
	for i := range r.rows(m.op.Dst) {
		for rank, id := range r.row(m.op.Routing, i)[:m.op.Used] {
			m.place[i*m.op.Used+rank] = m.at[int(id)]
			m.at[int(id)]++
		}
	}
}

// gather copies row i to its assignments.
func (m *moe) gather(_ *run, i int) {
	for _, in := range m.inputs {
		for _, j := range m.assignments(i) {
			copy(in.byAssignment.row(int(j)), in.byRow.row(i))
		}
	}
}

// assignments are the numbers of row i's, in the order of its routing.
func (m *moe) assignments(i int) []int32 { return m.place[i*m.op.Used : (i+1)*m.op.Used] }

// combine sums the weighted results of row i.
func (m *moe) combine(r *run, i int) {
	dst, width := r.row(m.op.Dst, i), m.op.Dst.Width
	for rank, j := range m.assignments(i) {
		w := float32(1)
		if !m.op.WeightFirst {
			w = r.row(m.op.Routing, i)[m.op.Used+rank]
		}
		y := m.out[int(j)*width : (int(j)+1)*width]
		if rank == 0 {
			kernel.Scale(dst, y, w)
		} else {
			kernel.AddScaledRow(dst, y, w)
		}
	}
}

// expertMatMul multiplies the assignments of each expert with its matrices. A part is some rows of a matrix of the n-th expert that has
// assignments. How many have is not known when parts are counted, so the last ones may be empty.
type expertMatMul struct {
	*moe
	products []expertProduct
}

type expertProduct struct {
	l graph.Linear
	y []float32 // l.W.Out an assignment
	x *prepared // by assignment
}

func (s *expertMatMul) width() int { return s.products[0].l.W.Out }

// most is how many experts can have assignments.
func (s *expertMatMul) most(r *run) int {
	return min(s.op.Up.W.Experts, r.rows(s.op.Dst)*s.op.Used)
}

func (s *expertMatMul) parts(r *run) int {
	return len(s.products) * s.most(r) * chunks(s.width(), r.chunk(s.width(), 1))
}

func (s *expertMatMul) do(r *run, _, part int) {
	width, most := s.width(), s.most(r)
	size := r.chunk(width, 1)
	n := chunks(width, size)
	from := part % n * size
	if e := part / n % most; e < len(s.busy) {
		s.multiply(&s.products[part/n/most], int(s.busy[e]), from, min(from+size, width))
	}
}

// multiply computes the columns [from, to) of an expert's assignments.
func (s *expertMatMul) multiply(p *expertProduct, e, from, to int) {
	first, count := int(s.first[e]), int(s.first[e+1]-s.first[e])
	row := p.l.W.ExpertRow(e)
	p.x.kernel.Rows(p.y[first*s.width()+from:], s.width(), p.l.W.Rows(row+from, row+to), p.x.acts[first*p.x.size:], count, p.x.k)
	if p.l.Bias != nil || p.l.Scale != nil {
		for j := first; j < first+count; j++ {
			finish(p.y[j*s.width()+from:j*s.width()+to], p.l, e, from, to)
		}
	}
}
