package cpu

import (
	"math"

	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
)

// router chooses experts, a part a few rows.
type router struct {
	rowStep
	op   *graph.Route
	work []routeScratch // by worker
}

// routeScratch are a row's weights and what its experts are chosen by, one value an expert.
type routeScratch struct{ gates, scores []float32 }

func (p *program) addRoute(op *graph.Route) {
	s := &router{rowStep: rowStep{dst: op.Dst}, op: op}
	for range p.crew.n {
		s.work = append(s.work, routeScratch{p.floats(op.X.Width), p.floats(op.X.Width)})
	}
	p.steps = append(p.steps, s)
}

func (s *router) do(r *run, worker, part int) {
	for i := part * rowsAPart; i < min((part+1)*rowsAPart, r.rows(s.dst)); i++ {
		s.route(r.row(s.dst, i), r.row(s.op.X, i), s.work[worker], r.token(s.dst, i))
	}
}

// token is the token of row i of t.
func (r *run) token(t *graph.Tensor, i int) int {
	if t.Outputs {
		i = int(r.Outputs[i])
	}
	return int(r.Tokens[i])
}

// route writes the numbers of the chosen experts and then their weights.
func (s *router) route(dst, logits []float32, w routeScratch, token int) {
	ids, weights := dst[:s.op.Used], dst[s.op.Used:]
	gate(w.gates, logits, s.op.Gating)
	if s.op.Table == nil {
		s.choose(ids, weights, logits, w)
	} else {
		copy(ids, s.op.Table[token*s.op.Used:])
		for i, id := range ids {
			weights[i] = w.gates[int(id)]
		}
	}
	if s.op.Gating == graph.GateChosen {
		kernel.Softmax(weights)
	}
	if s.op.Normalise {
		kernel.Scale(weights, weights, 1/max(sum(weights), minRouteSum))
	}
	if s.op.Scale != 0 {
		kernel.Scale(weights, weights, s.op.Scale)
	}
}

// choose takes the experts of the greatest scores.
func (s *router) choose(ids, weights, logits []float32, w routeScratch) {
	s.score(w.scores, logits, w.gates)
	for i := range ids {
		best := greatest(w.scores)
		id := best / max(1, s.op.Share)
		ids[i], weights[i] = float32(id), w.gates[id]
		w.scores[best] = float32(math.Inf(-1))
	}
}

// minRouteSum is the least sum that weights are divided by, the smallest normal float16, as in llama.cpp.
const minRouteSum = 6.103515625e-5

func gate(dst, logits []float32, g graph.Gating) {
	switch g {
	case graph.GateSoftmax:
		copy(dst, logits)
		kernel.Softmax(dst)
	case graph.GateSigmoid:
		kernel.Sigmoid(dst, logits)
	case graph.GateChosen:
		copy(dst, logits)
	case graph.GateSqrtSoftplus:
		for i, l := range logits {
			dst[i] = float32(math.Sqrt(softplus(float64(l))))
		}
	}
}

// score writes what experts are chosen by. Every gating keeps the order of the logits, but not all of their differences, so
// the logits serve where nothing is added.
func (s *router) score(dst, logits, gates []float32) {
	if s.op.Bias == nil && s.op.Groups < 2 {
		copy(dst, logits)
		return
	}
	copy(dst, gates)
	if s.op.Bias != nil {
		kernel.Add(dst, dst, s.op.Bias)
	}
	if s.op.Groups > 1 {
		s.closeGroups(dst)
	}
}

// closeGroups leaves only the experts of the best groups.
func (s *router) closeGroups(scores []float32) {
	size := len(scores) / s.op.Groups
	for range s.op.Groups - s.op.GroupsUsed {
		worst, least := -1, float32(0)
		for g := range s.op.Groups { // of equals the last, as the first is chosen first
			v := scores[g*size : (g+1)*size]
			if t := topTwo(v); !math.IsInf(float64(t), -1) && (worst < 0 || t <= least) {
				worst, least = g, t
			}
		}
		if worst < 0 {
			return
		}
		for i := range size {
			scores[worst*size+i] = float32(math.Inf(-1))
		}
	}
}

// topTwo is the sum of the two greatest values.
func topTwo(x []float32) float32 {
	first, second := float32(math.Inf(-1)), float32(math.Inf(-1))
	for _, v := range x {
		first, second = max(first, v), max(second, min(first, v))
	}
	if len(x) < 2 {
		return first
	}
	return first + second
}

// greatest is the index of the greatest value, the first of equals.
func greatest(x []float32) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

func sum(x []float32) float32 {
	s := float32(0)
	for _, v := range x {
		s += v
	}
	return s
}
