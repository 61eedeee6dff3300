package blocks

import (
	"math"

	"github.com/llamakit/llamakit/engine/graph"
)

// Engram adds what a table of n-grams knows to residual streams (Cheng et al. 2026, arXiv:2601.07372, section 2): with e the rows of the
// n-grams that end with a token,
//
//	s = norm(Key·e)·norm(x) / sqrt(NEmbd), a number a stream
//	a = σ(sign(s) sqrt|s|)·(Value·e)
//	x += a + silu(conv(norm(a)))
type Engram struct {
	Table              *graph.Weight
	NGrams             graph.NGramSpec
	Key, Value         graph.Linear      // to all streams, and to one
	KeyNorm, QueryNorm graph.NormWeights // by streams, with weights of their own
	ConvNorm           graph.NormWeights
	Conv               Conv // of all streams
	Streams            int
}

// Apply records the streams x with what the table knows.
func (e *Engram) Apply(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
	width := x.Width / e.Streams
	rows := b.Name(b.NGrams(e.Table, e.NGrams), "ple_embd")
	key := b.NormHeads(b.Linear(rows, e.Key), e.KeyNorm, width)
	score := b.Scale(b.HeadDot(key, b.NormHeads(x, e.QueryNorm, width), e.Streams), float32(1/math.Sqrt(float64(width))))
	a := b.GLU(graph.Sigmoid, b.Activate(score, graph.SignedSqrt), b.Repeat(b.Linear(rows, e.Value), e.Streams))
	conv := b.Activate(e.Conv.Apply(b, b.NormHeads(a, e.ConvNorm, width)), graph.SiLU)
	return b.Name(b.Add(x, b.Add(a, conv)), "ple_out")
}
