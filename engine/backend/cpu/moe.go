package cpu

import (
	"math"

	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
)

// route chooses op.Used experts by their logits: softmax over all, the greatest first, weights divided by their sum where
// op.Normalise says so. dst gets the experts' numbers, then the weights.
func route(dst, logits []float32, op *graph.Route) {
	ids, weights := dst[:op.Used], dst[op.Used:]
	top := float64(kernel.MaxOf(logits))
	all := 0.0
	for _, l := range logits {
		all += math.Exp(float64(l) - top)
	}
	for i := range ids {
		best := choose(logits, ids[:i])
		ids[i] = float32(best)
		weights[i] = float32(math.Exp(float64(logits[best])-top) / all)
	}
	if op.Normalise {
		sum := float32(0)
		for _, w := range weights {
			sum += w
		}
		kernel.Scale(weights, weights, 1/max(sum, minRouteSum))
	}
}

// minRouteSum is the least sum that weights are divided by, the smallest normal float16, as in llama.cpp.
const minRouteSum = 6.103515625e-5

// choose returns the greatest logit's index that is not taken yet, the lowest of equals. A NaN is never greater.
func choose(logits, taken []float32) int {
	best := -1
next:
	for i, l := range logits {
		for _, t := range taken {
			if int(t) == i {
				continue next
			}
		}
		if best < 0 || l > logits[best] {
			best = i
		}
	}
	return best
}

// moe computes a mixture of experts. Every row has Used assignments; they are sorted by expert, so that an expert's matrices
// are multiplied with all its rows at once. A row's result is summed in the order of its routing.
type moe struct {
	op       *graph.Experts
	x        *prepared // rows of the input, by row
	gathered []byte    // the same, by assignment
	hidden   *prepared // rows between the matrices, by assignment
	gate, up []float32 // NFF an assignment
	out      []float32 // Dst.Width an assignment

	place []int32 // by row·Used + rank: the assignment
	first []int32 // by expert: its first assignment; one more at the end
	at    []int32 // scratch of sort
}

func (p *program) addExperts(op *graph.Experts) {
	n, ff := p.options.Rows*op.Used, op.Up.W.Out
	m := &moe{op: op,
		x:      p.newPrepared(op.Up, p.options.Rows),
		hidden: p.newPrepared(op.Down, n),
		gate:   p.floats(n * ff), up: p.floats(n * ff), out: p.floats(n * op.Dst.Width),
		place: take[int32](&p.scratch, n), first: take[int32](&p.scratch, op.Up.W.Experts+1), at: take[int32](&p.scratch, op.Up.W.Experts),
	}
	m.gathered = p.bytes(n * m.x.size)
	act := glu(op.Act)
	p.add(op, func(r *run, i int) { m.x.kernel.Prepare(m.x.row(i), r.row(op.X, i)) })
	p.steps = append(p.steps, &serial{m.sort})
	p.add(op, m.gather)
	p.steps = append(p.steps,
		&expertMatMul{m, []expertProduct{{op.Gate, m.gate}, {op.Up, m.up}}, m.gatheredRows},
		&rowStep{op.Dst, func(r *run, i int) {
			for j := i * op.Used; j < (i+1)*op.Used; j++ { // all assignments, in whatever order
				g := m.gate[j*ff : (j+1)*ff]
				act(g, g, m.up[j*ff:(j+1)*ff])
				m.hidden.kernel.Prepare(m.hidden.row(j), g)
			}
		}},
		&expertMatMul{m, []expertProduct{{op.Down, m.out}}, m.hiddenRows})
	p.add(op, m.combine)
}

// serial is a step of one part.
type serial struct{ run func(r *run) }

func (s *serial) parts(*run) int      { return 1 }
func (s *serial) do(r *run, _, _ int) { s.run(r) }

// sort numbers the assignments by expert, rows in order inside (a counting sort).
func (m *moe) sort(r *run) {
	clear(m.first)
	for i := range r.rows(m.op.Dst) {
		for _, id := range r.row(m.op.Routing, i)[:m.op.Used] {
			m.first[int(id)+1]++
		}
	}
	for e := range m.at {
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
	for _, j := range m.place[i*m.op.Used : (i+1)*m.op.Used] {
		copy(m.gathered[int(j)*m.x.size:(int(j)+1)*m.x.size], m.x.row(i))
	}
}

func (m *moe) gatheredRows(from int) (*prepared, []byte) { return m.x, m.gathered[from*m.x.size:] }
func (m *moe) hiddenRows(from int) (*prepared, []byte) {
	return m.hidden, m.hidden.acts[from*m.hidden.size:]
}

// combine sums the weighted results of row i.
func (m *moe) combine(r *run, i int) {
	dst, width := r.row(m.op.Dst, i), m.op.Dst.Width
	weights := r.row(m.op.Routing, i)[m.op.Used:]
	for rank, j := range m.place[i*m.op.Used : (i+1)*m.op.Used] {
		y := m.out[int(j)*width : (int(j)+1)*width]
		if rank == 0 {
			kernel.Scale(dst, y, weights[rank])
		} else {
			kernel.AddScaledRow(dst, y, weights[rank])
		}
	}
}

// expertMatMul multiplies the assignments of each expert with its matrices. A part is a range of rows of one matrix of one
// expert.
type expertMatMul struct {
	*moe
	products []expertProduct
	rows     func(from int) (*prepared, []byte)
}

type expertProduct struct {
	l graph.Linear
	y []float32 // l.W.Out an assignment
}

func (s *expertMatMul) parts(r *run) int {
	out := s.products[0].l.W.Out
	return len(s.products) * s.op.Up.W.Experts * chunks(out, r.chunk(out))
}

func (s *expertMatMul) do(r *run, _, part int) {
	out := s.products[0].l.W.Out
	size := r.chunk(out)
	n := chunks(out, size)
	e := part / n % s.op.Up.W.Experts
	p := &s.products[part/n/s.op.Up.W.Experts]
	first, count := int(s.first[e]), int(s.first[e+1]-s.first[e])
	if count == 0 {
		return
	}
	from := part % n * size
	to := min(from+size, out)
	a, acts := s.rows(first)
	a.kernel.Rows(p.y[first*out+from:], out, p.l.W.Rows(e*out+from, e*out+to), acts, count, a.k)
	if p.l.Scale != nil {
		for j := first; j < first+count; j++ {
			finish(p.y[j*out+from:j*out+to], graph.Linear{Scale: p.l.Scale}, e, from, to)
		}
	}
}
