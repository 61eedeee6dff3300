package cpu_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/quant"
)

// observed is a graph with every kind of product: two parts of a fused matrix, a router and experts.
type observed struct {
	g       *graph.Graph
	x, h    *graph.Tensor // inputs of the fused matrix and of the experts
	routing *graph.Tensor
	names   []string
}

func newObserved() *observed {
	const embd, ff, experts, used = 24, 40, 5, 2
	r := rand.New(rand.NewPCG(4, 4))
	named := func(name string, l graph.Linear) graph.Linear {
		l.W.Name = name
		return l
	}
	o := &observed{names: []string{"fused", "router", "gate", "up", "down"}}
	b := &graph.Builder{}
	o.x = b.Scale(b.Embed(weights(r, embd, vocab, 1)), 4)
	p, q := b.Linear(o.x, named("fused", linear(r, embd, embd, 1))), b.Linear(o.x, named("fused", linear(r, embd, embd, 1)))
	o.h = b.Add(p, q)
	o.routing = b.Route(b.Linear(o.h, named("router", linear(r, embd, experts, 1))), graph.RouteSpec{Used: used, Normalise: true})
	out := b.Select(b.Experts(o.h, o.routing, graph.ExpertsSpec{Gate: named("gate", linear(r, embd, ff, experts)),
		Up: named("up", linear(r, embd, ff, experts)), Down: named("down", linear(r, ff, embd, experts)), Act: graph.SiLU}))
	o.g = b.Finish(out, out)
	return o
}

// TestObserve compares sums with those of the tensors that were kept, and sums of several batches and threads with each other.
func TestObserve(t *testing.T) {
	o := newObserved()
	run := func(threads int, cuts ...int) (map[string]*backend.Moments, backend.Program) {
		moments := map[string]*backend.Moments{}
		p, err := (&cpu.Device{Threads: threads}).Compile(o.g, backend.Options{Rows: 64, Pages: 4, TypeK: quant.F32, TypeV: quant.F32, Keep: true,
			Observe: func(w *graph.Weight) *backend.Moments {
				if moments[w.Name] == nil {
					moments[w.Name] = backend.NewMoments(w)
				}
				return moments[w.Name]
			}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		tokens, past := text(50), 0
		for _, n := range cuts {
			p.Run(&backend.Batch{Tokens: tokens[past : past+n], Spans: []backend.Span{{N: n, Past: past, Pages: []kv.Page{0, 1}}}})
			past += n
		}
		return moments, p
	}
	want, p := run(1, 50)
	for name, x := range map[string]*graph.Tensor{"fused": o.x, "router": o.h} {
		checkMoments(t, name, want[name], x.Width, p.Tensor(x), func(int) []float32 { return []float32{0} })
	}
	routing := p.Tensor(o.routing)
	for _, name := range []string{"gate", "up"} {
		checkMoments(t, name, want[name], o.h.Width, p.Tensor(o.h), func(row int) []float32 { return routing[4*row : 4*row+2] })
	}
	if !slices.Equal(want["down"].Counts, want["up"].Counts) {
		t.Errorf("down: %v rows, up %v", want["down"].Counts, want["up"].Counts)
	}
	got, _ := run(3, 20, 1, 29)
	for _, name := range o.names {
		if g, w := got[name], want[name]; !slices.Equal(g.Counts, w.Counts) || !slices.Equal(g.Sums, w.Sums) || !slices.Equal(g.Squares, w.Squares) {
			t.Errorf("%s: three threads and batches give other sums", name)
		}
		if slices.Max(want[name].Squares) == 0 {
			t.Errorf("%s: no sums", name)
		}
	}
}

// checkMoments adds up rows, each for the experts that it goes to.
func checkMoments(t *testing.T, name string, got *backend.Moments, width int, rows []float32, experts func(row int) []float32) {
	t.Helper()
	counts, squares := make([]int64, len(got.Counts)), make([]float64, len(got.Squares))
	for i := range len(rows) / width {
		for _, e := range experts(i) {
			counts[int(e)]++
			for c, v := range rows[i*width : (i+1)*width] {
				squares[int(e)*width+c] += float64(v) * float64(v)
			}
		}
	}
	if !slices.Equal(got.Counts, counts) {
		t.Errorf("%s: counts %v, want %v", name, got.Counts, counts)
	}
	for i, want := range squares {
		if math.Abs(got.Squares[i]-want) > 1e-12*want {
			t.Fatalf("%s: column %d is %g, want %g", name, i, got.Squares[i], want)
		}
	}
}
