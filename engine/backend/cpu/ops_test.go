package cpu_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/quant"
)

// rowOp is an op that works row by row, and the plain loop that it must agree with: x is the row, pos its position.
type rowOp struct {
	record func(b *graph.Builder, x *graph.Tensor) *graph.Tensor
	want   func(x []float64, pos int) []float64
}

const opWidth = 48

// each is the row of f of every value.
func each(f func(i int, v float64) float64) func(x []float64, pos int) []float64 {
	return func(x []float64, _ int) []float64 {
		y := make([]float64, len(x))
		for i, v := range x {
			y[i] = f(i, v)
		}
		return y
	}
}

// normalised is a norm of segments of seg values by its definition; w and b have seg values, one for every column, or none.
func normalised(n graph.NormWeights, seg int) func(x []float64, pos int) []float64 {
	at := func(w []float32, i int, none float64) float64 {
		if w == nil {
			return none
		}
		return float64(w[i%len(w)])
	}
	return func(x []float64, _ int) []float64 {
		y := make([]float64, len(x))
		for from := 0; from < len(x); from += seg {
			mean, square := 0.0, 0.0
			for _, v := range x[from : from+seg] {
				mean += v / float64(seg)
			}
			if n.Kind == graph.RMSNorm {
				mean = 0
			}
			for _, v := range x[from : from+seg] {
				square += (v - mean) * (v - mean) / float64(seg)
			}
			for i := from; i < from+seg; i++ {
				y[i] = (x[i]-mean)/math.Sqrt(square+float64(n.Eps))*at(n.W, i, 1) + at(n.B, i, 0)
			}
		}
		return y
	}
}

func norm(n graph.NormWeights, seg int) rowOp {
	record := func(b *graph.Builder, x *graph.Tensor) *graph.Tensor { return b.NormHeads(x, n, seg) }
	return rowOp{record, normalised(n, seg)}
}

func activate(act graph.Activation, f func(v float64) float64) rowOp {
	record := func(b *graph.Builder, x *graph.Tensor) *graph.Tensor { return b.Activate(x, act) }
	return rowOp{record, each(func(_ int, v float64) float64 { return f(v) })}
}

// gated is a unit whose gate is the first columns of x: as many as x has, or one for each head.
func gated(act graph.Activation, columns int, f func(v float64) float64) rowOp {
	record := func(b *graph.Builder, x *graph.Tensor) *graph.Tensor { return b.GLU(act, b.View(x, 0, columns), x) }
	return rowOp{record, func(x []float64, _ int) []float64 {
		y := make([]float64, len(x))
		for i, v := range x {
			y[i] = f(x[i/(len(x)/columns)]) * v
		}
		return y
	}}
}

func rowOps() map[string]rowOp {
	sigmoid := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
	softplus := func(v float64) float64 { return math.Log(1 + math.Exp(v)) }
	softplus2 := func(v float64) float64 { return math.Log2(1 + math.Exp2(v)) }
	r := rand.New(rand.NewPCG(5, 6))
	vector := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		return v
	}
	factors, positions := vector(opWidth), weights(r, opWidth, 64, 1)
	return map[string]rowOp{
		"rms norm":                 norm(graph.NormWeights{Kind: graph.RMSNorm, W: vector(opWidth), Eps: 1e-5}, opWidth),
		"rms norm with bias":       norm(graph.NormWeights{Kind: graph.RMSNorm, W: vector(opWidth), B: vector(opWidth), Eps: 1e-5}, opWidth),
		"rms norm, shared by head": norm(graph.NormWeights{Kind: graph.RMSNorm, W: vector(16), Eps: 0.1}, 16),
		"rms norm of groups":       norm(graph.NormWeights{Kind: graph.RMSNorm, W: vector(opWidth), Eps: 0.1}, 12),
		"layer norm":               norm(graph.NormWeights{Kind: graph.LayerNorm, W: vector(opWidth), B: vector(opWidth), Eps: 1e-5}, opWidth),
		"layer norm, no weights":   norm(graph.NormWeights{Kind: graph.LayerNorm, Eps: 1e-5}, opWidth),
		"layer norm of heads":      norm(graph.NormWeights{Kind: graph.LayerNorm, W: vector(opWidth), B: vector(opWidth), Eps: 0.1}, 16),
		"silu":                     activate(graph.SiLU, func(v float64) float64 { return v / (1 + math.Exp(-v)) }),
		"gelu": activate(graph.GELU, func(v float64) float64 {
			return v / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v)))
		}),
		"squared relu": activate(graph.ReLUSqr, func(v float64) float64 { return max(v, 0) * max(v, 0) }),
		"softplus":     activate(graph.Softplus, func(v float64) float64 { return math.Log1p(math.Exp(v)) }),
		"softplus steep": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
			return b.Activate(b.Scale(x, 40), graph.Softplus)
		},
			each(func(_ int, v float64) float64 { return math.Log1p(math.Exp(40 * v)) })},
		"slice": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor { return b.Slice(x, 12, 3, 5) }, func(x []float64, _ int) (y []float64) {
			for from := 0; from < len(x); from += 12 {
				y = append(y, x[from+3:from+8]...)
			}
			return y
		}},
		"sigmoid":      activate(graph.Sigmoid, sigmoid),
		"tanh":         activate(graph.Tanh, math.Tanh),
		"sigmoid gate": gated(graph.Sigmoid, opWidth, sigmoid), "sigmoid gate of heads": gated(graph.Sigmoid, 3, sigmoid),
		"softplus gate": gated(graph.Softplus, opWidth, softplus), "softplus gate of heads": gated(graph.Softplus, 3, softplus),
		"softplus gate in base 2":          gated(graph.Log2OnePlus2, opWidth, softplus2),
		"softplus gate in base 2 of heads": gated(graph.Log2OnePlus2, 3, softplus2),
		"padded": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
			return b.Pad(b.View(x, 0, opWidth-3), opWidth, -7)
		},
			func(x []float64, _ int) []float64 { return slices.Concat([]float64{-7, -7, -7}, x[:opWidth-3]) }},
		"added vector": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor { return b.AddVector(x, factors) },
			each(func(i int, v float64) float64 { return v + float64(factors[i]) })},
		"clamp": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor { return b.Clamp(x, 0.5) },
			each(func(_ int, v float64) float64 { return min(max(v, -0.5), 0.5) })},
		"scaled columns": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor { return b.ScaleColumns(x, factors) },
			each(func(i int, v float64) float64 { return v * float64(factors[i]) })},
		"learned positions": {func(b *graph.Builder, x *graph.Tensor) *graph.Tensor { return b.Add(x, b.EmbedPosition(positions)) },
			func(x []float64, pos int) []float64 {
				row := values(positions, pos)
				return each(func(i int, v float64) float64 { return v + row[i] })(x, pos)
			}},
	}
}

// TestRowOps compares each op with its plain loop, and rows of a batch on three threads with rows that come alone: the same
// bits.
func TestRowOps(t *testing.T) { checkRowOps(t, rowOps()) }

func checkRowOps(t *testing.T, ops map[string]rowOp) {
	table := weights(rand.New(rand.NewPCG(3, 3)), opWidth, vocab, 1)
	tokens := text(40)
	for name, op := range ops {
		b := &graph.Builder{}
		out := b.Select(op.record(b, b.Scale(b.Embed(table), 4)))
		g := b.Finish(out, out)
		t.Run(name, func(t *testing.T) {
			eachTier(t, func(t *testing.T) {
				together, alone := compile(t, g, 3, quant.F32), compile(t, g, 1, quant.F32)
				batch := &backend.Batch{Tokens: tokens, Spans: []backend.Span{{N: len(tokens), Pages: []kv.Page{0, 1}}}}
				for i := range tokens {
					batch.Outputs = append(batch.Outputs, int32(i))
				}
				together.Run(batch)
				for i, token := range tokens {
					x := values(table, int(token))
					for j := range x {
						x[j] *= 4
					}
					close64(t, name, together.Logits(i), op.want(x, i), 1e-12)
					span := backend.Span{N: 1, Past: i, Pages: []kv.Page{0, 1}}
					alone.Run(&backend.Batch{Tokens: tokens[i : i+1], Spans: []backend.Span{span}, Outputs: []int32{0}})
					if !slices.Equal(alone.Logits(0), together.Logits(i)) {
						t.Errorf("row %d differs in company", i)
					}
				}
			})
		})
	}
}
