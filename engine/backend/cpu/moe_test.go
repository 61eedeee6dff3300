package cpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/quant"
)

// The mixture of the tests.
const moeEmbd, moeFF, moeExperts = 24, 40, 6

type mixture struct {
	table          *graph.Weight
	router         graph.Linear
	gate, up, down graph.Linear
}

func newMixture() *mixture {
	r := rand.New(rand.NewPCG(2, 2))
	m := &mixture{table: weights(r, moeEmbd, vocab, 1), router: linear(r, moeEmbd, moeExperts, 1)}
	m.gate, m.up = linear(r, moeEmbd, moeFF, moeExperts), linear(r, moeEmbd, moeFF, moeExperts)
	m.down = linear(r, moeFF, moeEmbd, moeExperts)
	return m
}

// input is the row of a token.
func (m *mixture) input(token int32) []float64 {
	x := values(m.table, int(token))
	for i := range x {
		x[i] *= 4
	}
	return x
}

// run computes what record adds to the input, for every token.
func (m *mixture) run(t *testing.T, tokens []int32, record func(b *graph.Builder, x *graph.Tensor) *graph.Tensor) [][]float32 {
	t.Helper()
	b := &graph.Builder{}
	out := b.Select(record(b, b.Scale(b.Embed(m.table), 4)))
	p := compile(t, b.Finish(out, out), 3, quant.F32)
	batch := &backend.Batch{Tokens: tokens, Spans: []backend.Span{{N: len(tokens)}}}
	for i := range tokens {
		batch.Outputs = append(batch.Outputs, int32(i))
	}
	p.Run(batch)
	var rows [][]float32
	for i := range tokens {
		rows = append(rows, slices.Clone(p.Logits(i)))
	}
	return rows
}

// gates are the weights of all experts before a choice, by the definitions.
func gates(g graph.Gating, logits []float64) []float64 {
	y, sum := make([]float64, len(logits)), 0.0
	for _, l := range logits {
		sum += math.Exp(l)
	}
	for i, l := range logits {
		switch g {
		case graph.GateSoftmax:
			y[i] = math.Exp(l) / sum
		case graph.GateSigmoid:
			y[i] = 1 / (1 + math.Exp(-l))
		case graph.GateChosen:
			y[i] = math.Exp(l) // what is left of the softmax once it is divided by the sum
		case graph.GateSqrtSoftplus:
			y[i] = math.Sqrt(math.Log(1 + math.Exp(l)))
		}
	}
	return y
}

// chosen are the experts and weights of a router by its definition.
func chosen(s graph.RouteSpec, logits []float64) (ids []int, w []float64) {
	gate := gates(s.Gating, logits)
	score := slices.Clone(gate)
	for i, b := range s.Bias {
		score[i] += float64(b)
	}
	open := func(int) bool { return true }
	if s.Groups > 1 {
		size := len(score) / s.Groups
		best := func(g int) float64 {
			group := slices.Sorted(slices.Values(score[g*size : (g+1)*size]))
			return group[size-1] + group[size-2]
		}
		open = func(e int) bool {
			better := 0
			for g := range s.Groups {
				if best(g) > best(e/size) {
					better++
				}
			}
			return better < s.GroupsUsed
		}
	}
	for len(ids) < s.Used {
		top := -1
		for e := range score {
			if open(e) && !slices.Contains(ids, e) && (top < 0 || score[e] > score[top]) {
				top = e
			}
		}
		ids = append(ids, top)
	}
	sum := 0.0
	for i, e := range ids {
		if s.Share > 0 {
			ids[i] = e / s.Share
		}
		w = append(w, gate[ids[i]])
		sum += w[i]
	}
	for i := range w {
		if s.Normalise || s.Gating == graph.GateChosen {
			w[i] /= sum
		}
		if s.Scale != 0 {
			w[i] *= float64(s.Scale)
		}
	}
	return ids, w
}

func TestRoute(t *testing.T) {
	m := newMixture()
	bias := []float32{0.3, -0.2, 0.5, -0.4, 0.1, 0.2}
	for name, spec := range map[string]graph.RouteSpec{
		"softmax":       {Used: 3},
		"all":           {Used: moeExperts, Normalise: true},
		"sigmoid":       {Used: 2, Gating: graph.GateSigmoid, Normalise: true, Scale: 2.5},
		"bias":          {Used: 2, Gating: graph.GateSigmoid, Bias: bias},
		"softmax bias":  {Used: 2, Bias: bias, Normalise: true},
		"chosen":        {Used: 3, Gating: graph.GateChosen},
		"softplus":      {Used: 2, Gating: graph.GateSqrtSoftplus, Bias: bias, Normalise: true, Scale: 1.5},
		"groups":        {Used: 2, Groups: 3, GroupsUsed: 1},
		"groups bias":   {Used: 3, Gating: graph.GateSigmoid, Bias: bias, Groups: 3, GroupsUsed: 2, Normalise: true},
		"groups of all": {Used: 2, Groups: 2, GroupsUsed: 2},
		"share":         {Used: 3, Share: 2, Normalise: true},
	} {
		t.Run(name, func(t *testing.T) {
			tokens := text(30)
			for i, row := range m.run(t, tokens, func(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
				return b.Route(b.Linear(x, m.router), spec)
			}) {
				ids, w := chosen(spec, times(m.router.W, 0, m.input(tokens[i])))
				for rank, id := range ids {
					if int(row[rank]) != id {
						t.Fatalf("row %d chooses %v, want %v", i, row[:spec.Used], ids)
					}
				}
				close64(t, fmt.Sprintf("weights of row %d", i), row[spec.Used:], w, 1e-11)
			}
		})
	}
}

// TestRouteTies: of equal gates the lower number is chosen, of equal groups the lower one.
func TestRouteTies(t *testing.T) {
	m := newMixture()
	clear(m.router.W.Data)
	for _, spec := range []graph.RouteSpec{{Used: 2}, {Used: 2, Bias: make([]float32, moeExperts)}, {Used: 2, Groups: 3, GroupsUsed: 1}} {
		row := m.run(t, []int32{1}, func(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
			return b.Route(b.Linear(x, m.router), spec)
		})[0]
		if row[0] != 0 || row[1] != 1 {
			t.Errorf("%+v chooses %v of equal experts, want 0 and 1", spec, row[:2])
		}
	}
}

// unit is a gated activation by its definition.
func unit(s graph.ExpertsSpec, gate, up float64) float64 {
	limit := float64(s.Limit)
	switch {
	case s.Act == graph.SwiGLUOAI:
		gate, up = min(gate, 7), max(-7, min(up, 7))
		return gate / (1 + math.Exp(-1.702*gate)) * (up + 1)
	case limit > 0:
		gate, up = min(gate, limit), max(-limit, min(up, limit))
	}
	if s.Act == graph.ReLU {
		return max(gate, 0) * up
	}
	return gate / (1 + math.Exp(-gate)) * up
}

// linearOf is an expert's matrix with scale and bias by definition.
func linearOf(l graph.Linear, e int, x []float64) []float64 {
	y := make([]float64, l.W.Out)
	for n := range y {
		for k, v := range values(l.W, l.W.ExpertRow(e)+n) {
			y[n] += v * x[k]
		}
		if l.Scale != nil {
			y[n] *= float64(l.Scale[e])
		}
		if l.Bias != nil {
			y[n] += float64(l.Bias[l.W.ExpertRow(e)+n])
		}
	}
	return y
}

// mixed is a mixture by its definition.
func mixed(s graph.ExpertsSpec, ids []int, w, x []float64) []float64 {
	out := make([]float64, s.Down.W.Out)
	for rank, e := range ids {
		in, weight := slices.Clone(x), w[rank]
		if s.WeightFirst {
			for i := range in {
				in[i] *= weight
			}
			weight = 1
		}
		gate, up := linearOf(s.Gate, e, in), linearOf(s.Up, e, in)
		for i := range up {
			up[i] = unit(s, gate[i], up[i])
		}
		for i, v := range linearOf(s.Down, e, up) {
			out[i] += weight * v
		}
	}
	return out
}

func TestExperts(t *testing.T) {
	m := newMixture()
	r := rand.New(rand.NewPCG(3, 3))
	scales := []float32{1, 2, 0.5, -1, 3, 0.25}
	with := func(l graph.Linear, scaled bool) graph.Linear {
		for range l.W.Out * moeExperts {
			l.Bias = append(l.Bias, float32(r.NormFloat64()))
		}
		if scaled {
			l.Scale = scales
		}
		return l
	}
	fused := linear(r, moeEmbd, 2*moeFF, moeExperts).W
	half := &graph.Weight{Type: quant.F16, In: moeEmbd, Out: moeFF, Experts: moeExperts}
	for range moeEmbd * moeFF * moeExperts {
		half.Data = append(half.Data, byte(r.IntN(256)), 0x30+byte(r.IntN(8))) // 0.125 to 0.5
	}
	for name, spec := range map[string]graph.ExpertsSpec{
		"swiglu":       {Gate: m.gate, Up: m.up, Down: m.down},
		"scales":       {Gate: m.gate, Up: m.up, Down: graph.Linear{W: m.down.W, Scale: scales}},
		"biases":       {Gate: with(m.gate, false), Up: with(m.up, true), Down: with(m.down, true)},
		"oai":          {Gate: with(m.gate, false), Up: with(m.up, false), Down: with(m.down, false), Act: graph.SwiGLUOAI},
		"relu":         {Gate: m.gate, Up: m.up, Down: m.down, Act: graph.ReLU},
		"limit":        {Gate: m.gate, Up: m.up, Down: m.down, Limit: 0.75},
		"weight first": {Gate: m.gate, Up: m.up, Down: m.down, WeightFirst: true},
		"fused":        {Gate: graph.Linear{W: fused.Part(0, moeFF)}, Up: graph.Linear{W: fused.Part(moeFF, moeFF)}, Down: m.down},
		"two types":    {Gate: graph.Linear{W: half}, Up: m.up, Down: m.down},
	} {
		t.Run(name, func(t *testing.T) {
			route := graph.RouteSpec{Used: 2, Normalise: true, Scale: 1.5}
			tokens := text(30)
			eachTier(t, func(t *testing.T) {
				for i, row := range m.run(t, tokens, func(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
					return b.Experts(x, b.Route(b.Linear(x, m.router), route), spec)
				}) {
					x := m.input(tokens[i])
					ids, w := chosen(route, times(m.router.W, 0, x))
					close64(t, fmt.Sprintf("row %d", i), row, mixed(spec, ids, w, x), 1e-11)
				}
			})
		})
	}
}
