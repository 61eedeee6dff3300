package cpu

import (
	"math"

	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
)

func (p *program) addStreamWeights(op *graph.StreamWeights) {
	p.add(op, func(r *run, i int) { streamWeights(r.row(op.Dst, i), r.row(op.X, i), &op.StreamSpec) })
}

func streamWeights(dst, x []float32, s *graph.StreamSpec) {
	n := s.Streams
	for i := range x {
		dst[i] = s.Scale[min(i/n, 2)]*x[i] + s.Base[i]
	}
	read := dst[:n]
	kernel.Sigmoid(read, read)
	for i := range read {
		read[i] += s.Eps
	}
	if len(dst) == n {
		return
	}
	write := dst[n : 2*n]
	kernel.Sigmoid(write, write)
	for i := range write {
		write[i] = write[i]*s.Magnitude + s.WriteEps
	}
	if len(dst) > 2*n {
		sinkhorn(dst[2*n:], n, s.Eps, s.Iterations)
	}
}

// sinkhorn makes an n×n matrix nearly doubly stochastic (Sinkhorn and Knopp 1967).
func sinkhorn(m []float32, n int, eps float32, iterations int) {
	for from := 0; from < len(m); from += n {
		row := m[from : from+n]
		kernel.Softmax(row)
		for i := range row {
			row[i] += eps
		}
	}
	for i := range iterations {
		if i > 0 {
			for from := 0; from < len(m); from += n {
				row := m[from : from+n]
				kernel.Scale(row, row, 1/(sum(row)+eps))
			}
		}
		divideColumns(m, n, eps)
	}
}

func divideColumns(m []float32, n int, eps float32) {
	for c := range n {
		total := eps
		for at := c; at < len(m); at += n {
			total += m[at]
		}
		for at := c; at < len(m); at += n {
			m[at] /= total
		}
	}
}

// mixStreamsFunc is the row function of a weighted sum of streams.
func mixStreamsFunc(op *graph.MixStreams) func(r *run, i int) {
	n := op.Streams
	return func(r *run, i int) {
		dst, x := r.row(op.Dst, i), r.row(op.A, i)
		for s := range n {
			w := 1 / float32(n)
			if op.B != nil {
				w = r.row(op.B, i)[s]
			}
			if stream := x[s*len(dst) : (s+1)*len(dst)]; s == 0 {
				kernel.Scale(dst, stream, w)
			} else {
				kernel.AddScaledRow(dst, stream, w)
			}
		}
	}
}

// spreadStreams writes the output y of a layer to the streams x; see graph.SpreadStreams.
func spreadStreams(dst, x, y, w []float32) {
	width := len(y)
	n := len(x) / width
	write, mix := w, w[n:]
	if len(w) > n {
		write, mix = w[n:2*n], w[2*n:]
	}
	for d := range n {
		out := dst[d*width : (d+1)*width]
		kernel.Scale(out, y, write[d])
		if len(mix) == 0 {
			kernel.Add(out, out, x[d*width:(d+1)*width])
			continue
		}
		for s := range n {
			kernel.AddScaledRow(out, x[s*width:(s+1)*width], mix[s*n+d])
		}
	}
}

func (p *program) addResidualAttention(op *graph.ResidualAttention) {
	p.add(op, func(r *run, i int) {
		dst := r.row(op.Dst, i)
		greatest, total := float32(math.Inf(-1)), float32(0)
		clear(dst)
		for _, t := range op.Xs { // an online softmax, as in attention
			x := r.row(t, i)
			score := residualScore(x, op.W, op.Eps)
			if score > greatest {
				old := float32(math.Exp(float64(greatest - score)))
				kernel.Scale(dst, dst, old)
				total, greatest = total*old, score
			}
			w := float32(math.Exp(float64(score - greatest)))
			kernel.AddScaledRow(dst, x, w)
			total += w
		}
		kernel.Scale(dst, dst, 1/total)
	})
}

// residualScore is Σ w ⊙ RMSNorm(x).
func residualScore(x, w []float32, eps float32) float32 {
	var square, product float64
	for i, v := range x {
		square += float64(v) * float64(v)
		product += float64(v) * float64(w[i])
	}
	return float32(product / math.Sqrt(square/float64(len(x))+float64(eps)))
}
