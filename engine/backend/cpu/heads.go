package cpu

import "github.com/llamakit/llamakit/engine/graph"

// headMatMul multiplies the heads of all rows with their matrices. A part is a range of rows of the matrix of one head.
type headMatMul struct {
	*prepared // head after head, the batch's rows inside
	op        *graph.HeadMatMul
}

// addHeadMatMul adds two steps: prepare the heads and copy what is left as it is; multiply.
func (p *program) addHeadMatMul(op *graph.HeadMatMul) {
	w := op.W
	s := &headMatMul{p.sharedPrepared(w, p.options.Rows*w.Experts), op}
	width, out := op.X.Width/w.Experts, op.Dst.Width/w.Experts
	p.add(op, func(r *run, i int) {
		x, dst, rows := r.row(op.X, i), r.row(op.Dst, i), r.rows(op.Dst)
		for h := range w.Experts {
			head := x[h*width : (h+1)*width]
			s.kernel.Prepare(s.row(h*rows+i), head[:w.In])
			copy(dst[h*out+w.Out:(h+1)*out], head[w.In:])
		}
	})
	p.steps = append(p.steps, s)
	p.observe(func(r *run, visit func(int, []float32)) {
		for i := range r.rows(op.Dst) {
			for h := range w.Experts {
				visit(h, r.row(op.X, i)[h*width:][:w.In])
			}
		}
	}, w)
}

func (s *headMatMul) parts(r *run) int {
	if r.rows(s.op.Dst) == 0 {
		return 0
	}
	return s.op.W.Experts * chunks(s.op.W.Out, r.chunk(s.op.W.Out, r.rows(s.op.Dst)))
}

func (s *headMatMul) do(r *run, _, part int) {
	w, rows := s.op.W, r.rows(s.op.Dst)
	size := r.chunk(w.Out, rows)
	head, from := part/chunks(w.Out, size), part%chunks(w.Out, size)*size
	to := min(from+size, w.Out)
	y := r.from(s.op.Dst, head*(s.op.Dst.Width/w.Experts)+from)
	first := w.ExpertRow(head)
	s.kernel.Rows(y, s.op.Dst.Stride(), w.Rows(first+from, first+to), s.acts[head*rows*s.size:], rows, s.k)
}

// join writes the heads of a and b side by side; b may be one head.
func join(dst, a, b []float32, heads int) {
	dimA, dim := len(a)/heads, len(dst)/heads
	for h := range heads {
		y := dst[h*dim : (h+1)*dim]
		copy(y, a[h*dimA:(h+1)*dimA])
		copy(y[dimA:], b[h*(dim-dimA)%len(b):])
	}
}

// repeat fills dst with copies of x.
func repeat(dst, x []float32) {
	for len(dst) > 0 {
		dst = dst[copy(dst, x):]
	}
}

// headDot multiplies the heads of a and b with each other.
func headDot(dst, a, b []float32) {
	dim := len(a) / len(dst)
	for h := range dst {
		sum := 0.0
		for i := h * dim; i < (h+1)*dim; i++ {
			sum += float64(a[i]) * float64(b[i])
		}
		dst[h] = float32(sum)
	}
}
