package blocks_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/quant"
)

const (
	embd = 24
	ff   = 40
)

// randomLinear is a matrix with a bias, as both the graph and a plain loop see it.
type randomLinear struct {
	graph.Linear
	w []float32
}

func newRandomLinear(r *rand.Rand, in, out int) randomLinear {
	w, bias := make([]float32, in*out), make([]float32, out)
	for i := range w {
		w[i] = float32(r.NormFloat64() / math.Sqrt(float64(in)))
	}
	for i := range bias {
		bias[i] = float32(r.NormFloat64())
	}
	data := unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), 4*len(w))
	weight := &graph.Weight{Name: "w", Type: quant.F32, In: in, Out: out, Experts: 1, Data: data}
	return randomLinear{graph.Linear{W: weight, Bias: bias}, w}
}

func (l *randomLinear) times(x []float64) []float64 {
	y := make([]float64, l.W.Out)
	for n := range y {
		y[n] = float64(l.Bias[n])
		for k, v := range x {
			y[n] += v * float64(l.w[n*l.W.In+k])
		}
	}
	return y
}

// apply runs what record records on every row of a table of x, and returns the rows.
func apply(t *testing.T, x []float32, record func(b *graph.Builder, x *graph.Tensor) *graph.Tensor) [][]float32 {
	t.Helper()
	rows := len(x) / embd
	data := unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 4*len(x))
	b := &graph.Builder{}
	out := b.Select(record(b, b.Embed(&graph.Weight{Name: "x", Type: quant.F32, In: embd, Out: rows, Experts: 1, Data: data})))
	p, err := (&cpu.Device{Threads: 2}).Compile(b.Finish(out, out), backend.Options{Rows: rows, Pages: 1, TypeK: quant.F32, TypeV: quant.F32})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	batch := &backend.Batch{Spans: []backend.Span{{N: rows, Pages: []kv.Page{0}}}}
	for i := range rows {
		batch.Tokens, batch.Outputs = append(batch.Tokens, int32(i)), append(batch.Outputs, int32(i))
	}
	p.Run(batch)
	y := make([][]float32, rows)
	for i := range y {
		y[i] = append(y[i], p.Logits(i)...)
	}
	return y
}

func randomRows(r *rand.Rand, n int) []float32 {
	x := make([]float32, n*embd)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

func row(x []float32, i int) []float64 {
	y := make([]float64, embd)
	for j := range y {
		y[j] = float64(x[i*embd+j])
	}
	return y
}

func near(t *testing.T, got []float32, want []float64) {
	t.Helper()
	for i, w := range want {
		if d := math.Abs(float64(got[i]) - w); !(d <= 1e-5*(1+math.Abs(w))) {
			t.Fatalf("column %d is %g, want %g", i, got[i], w)
		}
	}
}

func TestMLP(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	up, down := newRandomLinear(r, embd, ff), newRandomLinear(r, ff, embd)
	mlp := blocks.MLP{Up: up.Linear, Down: down.Linear, Act: graph.ReLUSqr}
	x := randomRows(r, 11)
	for i, got := range apply(t, x, mlp.Apply) {
		h := up.times(row(x, i))
		for j, v := range h {
			h[j] = max(v, 0) * max(v, 0)
		}
		near(t, got, down.times(h))
	}
}

func TestClampedProjection(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	parts := []randomLinear{newRandomLinear(r, embd, 16), newRandomLinear(r, embd, 8), newRandomLinear(r, embd, 8)}
	qkv := blocks.QKV{Q: parts[0].Linear, K: parts[1].Linear, V: parts[2].Linear, Clamp: 0.7}
	x := randomRows(r, 5)
	for part := range parts {
		project := func(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
			q, k, v := qkv.Project(b, x)
			return []*graph.Tensor{q, k, v}[part]
		}
		for i, got := range apply(t, x, project) {
			want := parts[part].times(row(x, i))
			for j, v := range want {
				want[j] = min(max(v, -0.7), 0.7)
			}
			near(t, got, want)
		}
	}
}
