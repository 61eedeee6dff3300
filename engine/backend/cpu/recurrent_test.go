package cpu_test

import (
	"fmt"
	"maps"
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

// recurrent is a graph with one recurrent op, and what the op should give for the rows of a sequence, by a plain loop in float64.
type recurrent struct {
	r    *rand.Rand
	b    graph.Builder
	embd *graph.Weight
	x    *graph.Tensor
	g    *graph.Graph
	loop func(rows [][]float64) [][]float64 // of the embeddings
}

const recurrentEmbd = 24

func newRecurrent(seed uint64) *recurrent {
	m := &recurrent{r: rand.New(rand.NewPCG(5, seed))}
	m.embd = weights(m.r, recurrentEmbd, vocab, 1)
	m.x = m.b.Scale(m.b.Embed(m.embd), 4)
	return m
}

// input is a projection of the embeddings as a tensor, and as rows.
func (m *recurrent) input(width int) (*graph.Tensor, func(x []float64) []float64) {
	w := weights(m.r, recurrentEmbd, width, 1)
	return m.b.Linear(m.x, graph.Linear{W: w}), func(x []float64) []float64 { return times(w, 0, x) }
}

// step is a positive input, as time steps are.
func (m *recurrent) step(width int) (*graph.Tensor, func(x []float64) []float64) {
	t, row := m.input(width)
	return m.b.Activate(t, graph.Softplus), func(x []float64) []float64 {
		y := row(x)
		for i := range y {
			y[i] = math.Log1p(math.Exp(y[i]))
		}
		return y
	}
}

func (m *recurrent) values(n int, scale, mean float64) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(m.r.NormFloat64()*scale + mean)
	}
	return v
}

func (m *recurrent) finish(out *graph.Tensor, loop func(rows [][]float64) [][]float64) *recurrent {
	out = m.b.Select(out)
	m.g, m.loop = m.b.Finish(out, out), loop
	return m
}

func (m *recurrent) want(tokens []int32) [][]float64 {
	var rows [][]float64
	for _, t := range tokens {
		x := values(m.embd, int(t))
		for i := range x {
			x[i] *= 4
		}
		rows = append(rows, x)
	}
	return m.loop(rows)
}

func newConv(width, taps int, bias bool) *recurrent {
	m := newRecurrent(1)
	x, row := m.input(width)
	w, add := m.values(width*taps, 1, 0), make([]float32, width)
	var bias32 []float32
	if bias {
		add = m.values(width, 1, 0)
		bias32 = add
	}
	return m.finish(m.b.Conv(x, w, bias32, taps), func(rows [][]float64) (out [][]float64) {
		for t := range rows {
			rows[t] = row(rows[t])
			y := make([]float64, width)
			for c := range y {
				y[c] = float64(add[c])
				for j := range taps {
					if at := t - taps + 1 + j; at >= 0 {
						y[c] += float64(w[c*taps+j]) * rows[at][c]
					}
				}
			}
			out = append(out, y)
		}
		return out
	})
}

// newScan makes a scan of heads with dim channels; with stepped there is a time step, and D.
func newScan(heads, dim, n, groups int, stepped bool) *recurrent {
	m := newRecurrent(2)
	width := heads * dim
	x, rowX := m.input(width)
	bb, rowB := m.input(groups * n)
	c, rowC := m.input(groups * n)
	s := graph.ScanSpec{Heads: heads, N: n, A: m.values(heads, 0.3, -1)}
	if dim == 1 {
		s.A = m.values(heads*n, 0.3, -1)
	}
	var dt *graph.Tensor
	rowDt := func([]float64) []float64 { return slices.Repeat([]float64{1}, heads) }
	d := make([]float32, heads)
	if stepped {
		dt, rowDt = m.step(heads)
		d = m.values(heads, 1, 0)
		s.D = d
	}
	return m.finish(m.b.Scan(x, dt, bb, c, s), func(rows [][]float64) (out [][]float64) {
		state := make([]float64, width*n)
		for _, row := range rows {
			x, dt, bb, c, y := rowX(row), rowDt(row), rowB(row), rowC(row), make([]float64, width)
			for p := range width {
				h := p / dim
				y[p] = float64(d[h]) * x[p]
				for i := range n {
					a := s.A[h*(len(s.A)/heads)+i%(len(s.A)/heads)]
					g := h / (heads / groups) * n
					state[p*n+i] = state[p*n+i]*math.Exp(dt[h]*float64(a)) + dt[h]*x[p]*bb[g+i]
					y[p] += state[p*n+i] * c[g+i]
				}
			}
			out = append(out, y)
		}
		return out
	})
}

// newDelta makes a delta rule; with byChannel each key channel has its own decay.
func newDelta(s graph.DeltaSpec, dimK, dimV int, byChannel bool) *recurrent {
	m := newRecurrent(3)
	unit := slices.Repeat([]float32{1 / float32(math.Sqrt(float64(dimK)))}, dimK)
	q, rowQ := m.input(s.KeyHeads * dimK)
	k, rowK := m.input(s.KeyHeads * dimK)
	k = m.b.HeadNorm(k, unit, 0, dimK) // long keys would make the state explode
	v, rowV := m.input(s.Heads * dimV)
	gates := s.Heads
	if byChannel {
		gates *= dimK
	}
	g, rowG := m.step(gates)
	beta, rowBeta := m.input(s.Heads)
	out := m.b.DeltaRule(q, k, v, m.b.Scale(g, -0.1), m.b.Activate(beta, graph.Sigmoid), s)
	return m.finish(out, func(rows [][]float64) (out [][]float64) {
		state := make([]float64, s.Heads*dimK*dimV)
		for _, row := range rows {
			q, k, v, g, beta, y := rowQ(row), rowK(row), rowV(row), rowG(row), rowBeta(row), make([]float64, s.Heads*dimV)
			for h := range s.Heads {
				kh := h / (s.Heads / s.KeyHeads)
				if s.Tiled {
					kh = h % s.KeyHeads
				}
				key, length := k[kh*dimK:(kh+1)*dimK], 0.0
				for _, x := range key {
					length += x * x
				}
				length = math.Sqrt(length)
				for j := range dimV {
					held := 0.0
					at := func(i int) *float64 { return &state[(h*dimK+i)*dimV+j] }
					for i := range dimK {
						gate := g[h]
						if byChannel {
							gate = g[h*dimK+i]
						}
						*at(i) *= math.Exp(-0.1 * gate)
						held += key[i] / length * *at(i)
					}
					for i := range dimK {
						*at(i) += key[i] / length * (v[h*dimV+j] - held) / (1 + math.Exp(-beta[h]))
						y[h*dimV+j] += q[kh*dimK+i] * *at(i)
					}
				}
			}
			out = append(out, y)
		}
		return out
	})
}

func recurrents() map[string]*recurrent {
	all := map[string]*recurrent{
		"conv":                newConv(20, 4, true),
		"conv of many":        newConv(600, 3, false),
		"conv of one tap":     newConv(20, 1, true),
		"mamba":               newScan(70, 1, 16, 1, true),
		"mamba-2":             newScan(6, 20, 12, 2, true),
		"mamba-2 one group":   newScan(3, 16, 40, 1, true),
		"linear attention":    newScan(4, 16, 16, 4, false),
		"delta rule":          newDelta(graph.DeltaSpec{Heads: 3, KeyHeads: 3}, 16, 20, false),
		"delta rule grouped":  newDelta(graph.DeltaSpec{Heads: 6, KeyHeads: 2}, 16, 16, false),
		"delta rule tiled":    newDelta(graph.DeltaSpec{Heads: 6, KeyHeads: 2, Tiled: true}, 16, 16, false),
		"delta rule channels": newDelta(graph.DeltaSpec{Heads: 2, KeyHeads: 2}, 16, 16, true),
	}
	maps.Copy(all, sparseOps())
	return all
}

// stateful compiles with four states and fills them with what an earlier sequence might have left.
func stateful(t *testing.T, g *graph.Graph, threads int) backend.Program {
	t.Helper()
	p, err := (&cpu.Device{Threads: threads}).Compile(g, backend.Options{Rows: 128, States: 4, Pages: 8, TypeK: quant.F32, TypeV: quant.F32})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	for slot := range kv.Slot(4) {
		p.Run(&backend.Batch{Tokens: text(5), Spans: []backend.Span{{N: 5, State: slot, Pages: []kv.Page{slot}}}})
	}
	return p
}

// outputs runs a batch that wants all rows.
func outputs(p backend.Program, b *backend.Batch) (rows [][]float32) {
	b.Outputs = nil
	for i := range b.Tokens {
		b.Outputs = append(b.Outputs, int32(i))
	}
	p.Run(b)
	for i := range b.Tokens {
		rows = append(rows, slices.Clone(p.Logits(i)))
	}
	return rows
}

// somePages are those of a sequence of 70 tokens, for ops that keep keys.
var somePages = []kv.Page{5, 3, 7}

func TestRecurrence(t *testing.T) {
	for name, m := range recurrents() {
		t.Run(name, func(t *testing.T) {
			tokens := text(70)
			want := m.want(tokens)
			eachTier(t, func(t *testing.T) {
				p := stateful(t, m.g, 2)
				for i, row := range outputs(p, &backend.Batch{Tokens: tokens, Spans: []backend.Span{{N: 70, State: 1, Pages: somePages}}}) {
					close64(t, fmt.Sprintf("position %d", i), row, want[i], 1e-10)
				}
			})
		})
	}
}

// TestRecurrenceSameBits: in chunks, in company, in another slot, on a copied state and with more threads, every row has the
// same bits.
func TestRecurrenceSameBits(t *testing.T) {
	for name, m := range recurrents() {
		t.Run(name, func(t *testing.T) {
			tokens := text(70)
			want := outputs(stateful(t, m.g, 1), &backend.Batch{Tokens: tokens, Spans: []backend.Span{{N: 70, Pages: somePages}}})
			p := stateful(t, m.g, 3)
			slot := kv.Slot(2)
			for from := 0; from < len(tokens); {
				n := min(len(tokens)-from, 1+from%9)
				b := &backend.Batch{Tokens: slices.Concat(text(3), tokens[from:from+n], text(2)), Spans: []backend.Span{
					{N: 3, State: 0, Pages: []kv.Page{1}}, {Row: 3, N: n, Past: from, State: slot, Pages: somePages},
					{Row: 3 + n, N: 2, Past: 4, State: 1, Pages: []kv.Page{2}}}}
				for i, row := range outputs(p, b)[3 : 3+n] {
					if !slices.Equal(row, want[from+i]) {
						t.Fatalf("position %d differs", from+i)
					}
				}
				p.CopyState(kv.StateCopy{From: slot, To: 5 - slot})
				from, slot = from+n, 5-slot
			}
		})
	}
}

func TestStateMemory(t *testing.T) {
	m := newConv(20, 4, true)
	if got := stateful(t, m.g, 1).Memory().State; got != 4*3*20*4 {
		t.Errorf("%d bytes of state, want 4 slots of 3 rows of 20 float32", got)
	}
	if _, err := (&cpu.Device{Threads: 1}).Compile(m.g, backend.Options{Rows: 1, TypeK: quant.F32, TypeV: quant.F32}); err == nil {
		t.Error("no room for states: accepted")
	}
}
