package cpu_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
)

// headOps are ops on heads and on streams, of rows of opWidth columns.
func headOps() map[string]rowOp {
	r := rand.New(rand.NewPCG(7, 7))
	byHead, one, scale, base := weights(r, 10, 14, 3), weights(r, opWidth, 24, 1), []float32{0.5, 2, -1}, make([]float32, 24)
	for i := range base {
		base[i] = float32(r.NormFloat64())
	}
	streams := graph.StreamSpec{Streams: 4, Scale: scale, Base: base, Eps: 0.01, Magnitude: 1.5, WriteEps: 0.2, Iterations: 3}
	weigh := func(x []float64) []float64 { return streamWeights(times(one, 0, x), &streams) }
	return map[string]rowOp{
		"linear by heads": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor { return b.HeadLinear(x, byHead) },
			func(x []float64, _ int) (y []float64) {
				for h := range 3 {
					y = slices.Concat(y, times(byHead, h, x[16*h:16*h+10]), x[16*h+10:16*h+16])
				}
				return y
			}},
		"join": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor { return b.Join(x, b.View(x, 3, 12), 4, 3) },
			func(x []float64, _ int) (y []float64) {
				for h := range 4 {
					y = slices.Concat(y, x[12*h:12*h+12], x[3+3*h:6+3*h])
				}
				return y
			}},
		"join shared": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor { return b.Join(x, b.View(x, 3, 5), 4, 5) },
			func(x []float64, _ int) (y []float64) {
				for h := range 4 {
					y = slices.Concat(y, x[12*h:12*h+12], x[3:8])
				}
				return y
			}},
		"product of heads": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
			return b.HeadDot(b.View(x, 0, 24), b.View(x, 24, 24), 4)
		}, func(x []float64, _ int) []float64 {
			y := make([]float64, 4)
			for i := range 24 {
				y[i/6] += x[i] * x[24+i]
			}
			return y
		}},
		"repeat": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor { return b.Repeat(x, 3) },
			func(x []float64, _ int) []float64 { return slices.Concat(x, x, x) }},
		"signed square root": activate(graph.SignedSqrt, func(v float64) float64 { return math.Copysign(math.Sqrt(max(math.Abs(v), 1e-6)), v) }),
		"weights of streams": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
			return b.StreamWeights(b.Linear(x, graph.Linear{W: one}), streams)
		}, func(x []float64, _ int) []float64 { return weigh(x) }},
		"mixed streams": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
			return b.MixStreams(x, b.StreamWeights(b.Linear(x, graph.Linear{W: one}), streams), 4)
		}, func(x []float64, _ int) []float64 { return mixStreams(x, weigh(x)[:4]) }},
		"mean of streams": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor { return b.MixStreams(x, nil, 4) },
			func(x []float64, _ int) []float64 { return mixStreams(x, []float64{0.25, 0.25, 0.25, 0.25}) }},
		"spread to streams": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
			return b.SpreadStreams(x, b.View(x, 5, 12), b.StreamWeights(b.Linear(x, graph.Linear{W: one}), streams), 4)
		}, func(x []float64, _ int) []float64 {
			w := weigh(x)
			return spreadStreams(x, x[5:17], w[4:8], func(from, to int) float64 { return w[8+4*from+to] })
		}},
		"spread to streams apart": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
			return b.SpreadStreams(x, b.View(x, 5, 12), b.View(x, 20, 4), 4)
		}, func(x []float64, _ int) []float64 {
			return spreadStreams(x, x[5:17], x[20:24], func(from, to int) float64 { return map[bool]float64{true: 1}[from == to] })
		}},
		"residual attention": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
			return b.ResidualAttention([]*graph.Tensor{b.View(x, 0, 24), b.View(x, 24, 24), b.View(x, 10, 24)}, base, 0.1)
		}, func(x []float64, _ int) []float64 {
			return residualAttention([][]float64{x[:24], x[24:48], x[10:34]}, base, 0.1)
		}},
		"rope of last columns": rope(graph.RopeSpec{Dims: 10, Base: 100, Tail: true}, 2),
		"rope back":            rope(graph.RopeSpec{Dims: 10, Base: 100, Tail: true, Inverse: true}, 2),
		"rope shifted":         rope(graph.RopeSpec{Dims: 16, Base: 100, Shift: 3}, 3),
		"cut silu": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
			return b.BoundedGLU(graph.SiLUCut, 0.7, 0, b.View(x, 0, opWidth), x)
		}, each(func(_ int, v float64) float64 { return min(v/(1+math.Exp(-v)), 0.7) * min(max(v, -0.7), 0.7) })},
		"situ": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
			return b.BoundedGLU(graph.SiTU, 3, 2, b.View(x, 0, opWidth), x)
		}, each(func(_ int, v float64) float64 { return 2 * math.Tanh(v/2) / (1 + math.Exp(-v)) * 3 * math.Tanh(v/3) })},
		"situ of unbounded": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
			return b.BoundedGLU(graph.SiTU, 0, 2, b.View(x, 0, opWidth), x)
		}, each(func(_ int, v float64) float64 { return 2 * math.Tanh(v/2) / (1 + math.Exp(-v)) * v })},
	}
}

// rope turns pairs (2i, 2i+1) of heads.
func rope(s graph.RopeSpec, heads int) rowOp {
	record := func(b *graph.Builder, x *graph.Tensor) *graph.Tensor { return b.RoPE(x, x.Width/heads, &s) }
	return rowOp{record, func(x []float64, pos int) []float64 {
		y, dim := slices.Clone(x), len(x)/heads
		for h := range heads {
			first := h * dim
			if s.Tail {
				first += dim - s.Dims
			}
			for i := range s.Dims / 2 {
				angle := float64(pos-s.Shift) * math.Pow(float64(s.Base), -2*float64(i)/float64(s.Dims))
				if s.Inverse {
					angle = -angle
				}
				sin, cos := math.Sincos(angle)
				a, b := x[first+2*i], x[first+2*i+1]
				y[first+2*i], y[first+2*i+1] = a*cos-b*sin, a*sin+b*cos
			}
		}
		return y
	}}
}

func streamWeights(x []float64, s *graph.StreamSpec) []float64 {
	n := s.Streams
	eps := float64(s.Eps)
	y := make([]float64, len(x))
	for i := range x {
		y[i] = float64(s.Scale[min(i/n, 2)])*x[i] + float64(s.Base[i])
		if sigmoid := 1 / (1 + math.Exp(-y[i])); i < n {
			y[i] = sigmoid + eps
		} else if i < 2*n {
			y[i] = float64(s.Magnitude)*sigmoid + float64(s.WriteEps)
		}
	}
	mix := y[2*n:]
	divide := func(step, next int) { // sums over n values step apart, from places next apart
		for a := range n {
			sum := eps
			for b := range n {
				sum += mix[a*next+b*step]
			}
			for b := range n {
				mix[a*next+b*step] /= sum
			}
		}
	}
	for from := range n {
		sum := 0.0
		for _, v := range mix[from*n : (from+1)*n] {
			sum += math.Exp(v)
		}
		for to := range n {
			mix[from*n+to] = math.Exp(mix[from*n+to])/sum + eps
		}
	}
	divide(n, 1)
	for range s.Iterations - 1 {
		divide(1, n)
		divide(n, 1)
	}
	return y
}

func mixStreams(x, w []float64) []float64 {
	y := make([]float64, len(x)/len(w))
	for i, v := range x {
		y[i%len(y)] += w[i/len(y)] * v
	}
	return y
}

func spreadStreams(x, layer, write []float64, mix func(from, to int) float64) []float64 {
	y := make([]float64, len(x))
	for i := range y {
		to := i / len(layer)
		y[i] = write[to] * layer[i%len(layer)]
		for from := range write {
			y[i] += mix(from, to) * x[from*len(layer)+i%len(layer)]
		}
	}
	return y
}

func residualAttention(xs [][]float64, w []float32, eps float64) []float64 {
	y, total := make([]float64, len(w)), 0.0
	for _, x := range xs {
		square, score := eps, 0.0
		for i, v := range x {
			square += v * v / float64(len(x))
			score += v * float64(w[i])
		}
		e := math.Exp(score / math.Sqrt(square))
		total += e
		for i, v := range x {
			y[i] += e * v
		}
	}
	for i := range y {
		y[i] /= total
	}
	return y
}

func TestHeadOps(t *testing.T) { checkRowOps(t, headOps()) }

// TestNGrams looks up rows by the hashes of tokens, in chunks and whole.
func TestNGrams(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	s := graph.NGramSpec{Longest: 3, Heads: 2, Multipliers: []int64{1 << 40, 982451653, 1<<62 - 57},
		Rows: []int64{7, 11, 13, 5}, Offsets: []int64{0, 7, 18, 31}, Separator: 5}
	table := weights(r, 6, 36, 1)
	b := &graph.Builder{}
	out := b.Select(b.NGrams(table, s))
	p := stateful(t, b.Finish(out, out), 2)
	tokens := []int32{5, 1, 2, 5, 3, 4, 9, 9, 9, 5, 5, 7}
	var got [][]float32
	for from := 0; from < len(tokens); from += 5 {
		n := min(5, len(tokens)-from)
		span := backend.Span{N: n, Past: from, State: 2, Pages: []kv.Page{0}}
		got = append(got, outputs(p, &backend.Batch{Tokens: tokens[from : from+n], Spans: []backend.Span{span}})...)
	}
	for i, row := range got {
		seen := [3]int32{tokens[i], 5, 5}
		for back := 1; back < 3 && i-back >= 0 && tokens[i-back] != 5; back++ {
			seen[back] = tokens[i-back]
		}
		hash, want := uint64(seen[0])*uint64(s.Multipliers[0]), []float64{}
		for n := 1; n < 3; n++ {
			hash ^= uint64(seen[n]) * uint64(s.Multipliers[n])
			for h := range 2 {
				j := (n-1)*2 + h
				want = append(want, values(table, int(s.Offsets[j])+int(hash%uint64(s.Rows[j])))...)
			}
		}
		close64(t, "n-grams", row, want, 0)
	}
}
