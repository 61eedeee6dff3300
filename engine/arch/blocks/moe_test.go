package blocks_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

const experts = 4

// randomMoE is a mixture and its definition: weights are the sigmoid of the logits of the two experts that x likes best.
type randomMoE struct {
	blocks.MoE
	router         randomLinear
	gate, up, down [experts]randomLinear
}

func newRandomMoE(r *rand.Rand, width int) *randomMoE {
	m := &randomMoE{router: newRandomLinear(r, embd, experts)}
	m.Router = m.router.Linear
	m.Route = graph.RouteSpec{Used: 2, Gating: graph.GateSigmoid}
	m.Experts = graph.ExpertsSpec{Gate: stack(r, &m.gate, width, ff), Up: stack(r, &m.up, width, ff), Down: stack(r, &m.down, ff, width)}
	return m
}

// stack makes random matrices and one that holds them all.
func stack(r *rand.Rand, parts *[experts]randomLinear, in, out int) graph.Linear {
	all := graph.Linear{W: &graph.Weight{Name: "w", In: in, Out: out, Experts: experts}}
	for e := range parts {
		parts[e] = newRandomLinear(r, in, out)
		all.W.Data = append(all.W.Data, parts[e].W.Data...)
		all.Bias = append(all.Bias, parts[e].Bias...)
	}
	return all
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// mix is the mixture of what the experts make of latent, chosen by x.
func (m *randomMoE) mix(x, latent []float64) []float64 {
	logits := m.router.times(x)
	better := func(e int) (n int) {
		for _, l := range logits {
			if l > logits[e] {
				n++
			}
		}
		return n
	}
	y := make([]float64, len(latent))
	for e, logit := range logits {
		if better(e) < m.Route.Used {
			for i, v := range swiGLU(&m.gate[e], &m.up[e], &m.down[e], latent) {
				y[i] += sigmoid(logit) * v
			}
		}
	}
	return y
}

func swiGLU(gate, up, down *randomLinear, x []float64) []float64 {
	h := up.times(x)
	for i, g := range gate.times(x) {
		h[i] *= g * sigmoid(g)
	}
	return down.times(h)
}

func TestMoE(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	m := newRandomMoE(r, embd)
	x := randomRows(r, 9)
	for i, got := range apply(t, x, m.Apply) {
		near(t, got, m.mix(row(x, i), row(x, i)))
	}
}

func TestShared(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	m, gate := newRandomMoE(r, embd), newRandomLinear(r, embd, 1)
	parts := [3]randomLinear{newRandomLinear(r, embd, ff), newRandomLinear(r, embd, ff), newRandomLinear(r, ff, embd)}
	expert := &blocks.GLU{Gate: parts[0].Linear, Up: parts[1].Linear, Down: parts[2].Linear}
	x := randomRows(r, 9)
	for name, c := range map[string]struct {
		expert blocks.FFN
		weight func(x []float64) float64
	}{
		"bare":  {expert, func([]float64) float64 { return 1 }},
		"gated": {&blocks.Gated{Gate: gate.Linear, FFN: expert}, func(x []float64) float64 { return sigmoid(gate.times(x)[0]) }},
	} {
		t.Run(name, func(t *testing.T) {
			block := blocks.Shared{MoE: &m.MoE, Expert: c.expert}
			for i, got := range apply(t, x, block.Apply) {
				want := m.mix(row(x, i), row(x, i))
				for j, v := range swiGLU(&parts[0], &parts[1], &parts[2], row(x, i)) {
					want[j] += c.weight(row(x, i)) * v
				}
				near(t, got, want)
			}
		})
	}
}

func TestLatentMoE(t *testing.T) {
	const latent = 10
	r := rand.New(rand.NewPCG(8, 7))
	m, down, up := newRandomMoE(r, latent), newRandomLinear(r, embd, latent), newRandomLinear(r, latent, embd)
	block := blocks.LatentMoE{MoE: &m.MoE, Down: down.Linear, Up: up.Linear}
	x := randomRows(r, 9)
	for i, got := range apply(t, x, block.Apply) {
		near(t, got, up.times(m.mix(row(x, i), down.times(row(x, i)))))
	}
}
