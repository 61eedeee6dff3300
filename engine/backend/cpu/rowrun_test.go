package cpu_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/quant"
)

// rowGraph has ops that work row by row on tensors of several widths, and some products between them. All that is made is read.
func rowGraph(r *rand.Rand, table *graph.Weight) *graph.Graph {
	b := &graph.Builder{}
	alive := []*graph.Tensor{b.Scale(b.Embed(table), 2)}
	unread := map[*graph.Tensor]bool{}
	pick := func() *graph.Tensor { return alive[max(0, len(alive)-1-r.IntN(6))] }
	for range 10 + r.IntN(30) {
		x := pick()
		y := alive[slices.IndexFunc(alive, func(t *graph.Tensor) bool { return t.Width == x.Width })]
		delete(unread, x)
		switch r.IntN(8) {
		case 0:
			delete(unread, y)
			x = b.Add(x, y)
		case 1:
			delete(unread, y)
			x = b.GLU(graph.SiLU, x, y)
		case 2:
			x = b.RMSNorm(x, nil, 1e-6)
		case 3:
			x = b.Activate(x, graph.GELU)
		case 4:
			x = b.Pad(x, x.Width+1+r.IntN(20), 0.5)
		case 5:
			x = b.Slice(x, x.Width, r.IntN(x.Width/2), 1+x.Width/2)
		case 6:
			x = b.Scale(x, 1.25)
		case 7:
			x = b.Linear(x, linear(r, x.Width, 8+r.IntN(70), 1))
		}
		alive, unread[x] = append(alive, x), true
	}
	out, width := alive[0], 0
	for _, x := range alive {
		width = max(width, x.Width)
	}
	out = b.Pad(out, width, 0)
	for _, x := range alive {
		if unread[x] {
			out = b.Add(out, b.Pad(x, width, 0))
		}
	}
	out = b.Select(b.RMSNorm(out, nil, 1e-6))
	return b.Finish(out, out)
}

// TestRowsPassSteps wants the same bits from many rows, which pass several steps at once, and from a few, whose steps are sorted to chains,
// as from rows that come alone in a program whose tensors share no memory.
func TestRowsPassSteps(t *testing.T) {
	tokens, pages := text(40), []kv.Page{0, 1}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 8))
		g := rowGraph(r, weights(r, 16+r.IntN(40), vocab, 1))
		together := compile(t, g, 3, quant.F32)
		alone, err := (&cpu.Device{Threads: 1}).Compile(g, backend.Options{Rows: 1, Pages: 2, TypeK: quant.F32, TypeV: quant.F32, Keep: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{len(tokens), 5} {
			batch := &backend.Batch{Tokens: tokens[:n], Spans: []backend.Span{{N: n, Pages: pages}}}
			for i := range n {
				batch.Outputs = append(batch.Outputs, int32(i))
			}
			together.Run(batch)
			for i := range n {
				alone.Run(&backend.Batch{Tokens: tokens[i : i+1], Spans: []backend.Span{{N: 1, Past: i, Pages: pages}}, Outputs: []int32{0}})
				if !slices.Equal(alone.Logits(0), together.Logits(i)) {
					t.Fatalf("seed %d: row %d of %d differs: %v, alone %v", seed, i, n, together.Logits(i), alone.Logits(0))
				}
			}
		}
		alone.Close()
	}
}
