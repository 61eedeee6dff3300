package cpu

import (
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
)

// Attention with linear biases takes slope·|i-j| off the score of query i and key j. In a stripe that begins at position p and
// ends before the query, that is slope·(i-p), the same for all its keys, less slope times the key's place in the stripe. Only
// the latter is added to the scores; the former moves the greatest score, from which all are counted anyway. In a stripe after
// the query, which attention in both directions sees, the signs are the other way round.

// places are the places of the keys in a stripe.
var places = func() (p [stripe]float32) {
	for i := range p {
		p[i] = float32(i)
	}
	return p
}()

// distances are those of the keys in a stripe from a query in it: from the query's place on, counted back from the end.
var distances = func() (d [2*stripe - 1]float32) {
	for i := range d {
		d[i] = float32(max(stripe-1-i, i-(stripe-1)))
	}
	return d
}()

// addBias adds the biases to the scores s that a query sees. It leaves out a term that is the same for all, and returns it.
func (a *attention) addBias(s []float32, v view) float32 {
	if a.op.Slopes == nil {
		return 0
	}
	slope := a.op.Slopes[v.head]
	switch {
	case !a.op.Full || v.back >= stripe:
		kernel.AddScaledRow(s, places[v.from:v.to], slope)
		return -slope * float32(v.back)
	case v.back < 0:
		kernel.AddScaledRow(s, places[v.from:v.to], -slope)
		return slope * float32(v.back)
	}
	kernel.AddScaledRow(s, distances[stripe-1-v.back+v.from:][:len(s)], -slope)
	return 0
}
