package cpu

import (
	"slices"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/graph"
)

// observer is a step after a product: it adds the product's input, which is still there, to the moments that
// backend.Options.Observe gave. A part is a range of columns and takes the rows in order, so that the sums are the same
// for any number of workers.
type observer struct {
	moments []*backend.Moments
	columns int
	rows    func(r *run, visit func(expert int, row []float32))
}

// columnsAPart is one or two cache lines of each row a part.
const columnsAPart = 32

func (o *observer) parts(*run) int { return chunks(o.columns, columnsAPart) }

func (o *observer) do(r *run, _, part int) {
	from := part * columnsAPart
	to := min(from+columnsAPart, o.columns)
	o.rows(r, func(expert int, row []float32) {
		for _, m := range o.moments {
			m.Add(expert, from, row[from:to])
			if part == 0 {
				m.Counts[expert]++
			}
		}
	})
}

// observe adds an observer where somebody asked for the moments of one of the matrices that share an input. Parts of a
// fused matrix have its name: they count once. Matrices that an op does not have are nil.
func (p *program) observe(rows func(r *run, visit func(expert int, row []float32)), matrices ...*graph.Weight) {
	matrices = slices.DeleteFunc(matrices, func(w *graph.Weight) bool { return w == nil })
	if p.options.Observe == nil || len(matrices) == 0 {
		return
	}
	o := &observer{columns: matrices[0].In, rows: rows}
	for _, w := range matrices {
		if m := p.options.Observe(w); m != nil && !slices.Contains(o.moments, m) {
			o.moments = append(o.moments, m)
		}
	}
	if len(o.moments) > 0 {
		p.steps = append(p.steps, o)
	}
}

// observeMatMul observes the rows of a step of matrix products.
func (p *program) observeMatMul(group []*graph.MatMul) {
	var matrices []*graph.Weight
	for _, op := range group {
		matrices = append(matrices, op.L.W)
	}
	p.observe(func(r *run, visit func(int, []float32)) {
		for i := range r.rows(group[0].Dst) {
			visit(0, r.row(group[0].X, i))
		}
	}, matrices...)
}

// observeExperts observes the two inputs of a mixture: a row goes to the experts that it was routed to.
func (p *program) observeExperts(m *moe) {
	assignments := func(r *run, visit func(row, assignment, expert int)) {
		for i := range r.rows(m.op.Dst) {
			for rank, id := range r.row(m.op.Routing, i)[:m.op.Used] {
				visit(i, int(m.place[i*m.op.Used+rank]), int(id))
			}
		}
	}
	p.observe(func(r *run, visit func(int, []float32)) {
		assignments(r, func(row, _, expert int) { visit(expert, r.row(m.op.X, row)) })
	}, m.op.Gate.W, m.op.Up.W)
	ff := m.op.Up.W.Out
	p.observe(func(r *run, visit func(int, []float32)) {
		assignments(r, func(_, at, expert int) { visit(expert, m.gate[at*ff:(at+1)*ff]) })
	}, m.op.Down.W)
}
