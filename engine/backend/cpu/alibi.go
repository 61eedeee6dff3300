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

// addBias adds to the scores s, of the keys from place from of a stripe on, the biases for query head h that is back positions
// after the stripe's first. It leaves out a term that is the same for all, and returns it.
func (a *attention) addBias(s []float32, h, back, from int) float32 {
	if a.op.Slopes == nil {
		return 0
	}
	slope := a.op.Slopes[h]
	switch {
	case !a.op.Full || back >= stripe:
		kernel.AddScaledRow(s, places[from:from+len(s)], slope)
		return -slope * float32(back)
	case back < 0:
		kernel.AddScaledRow(s, places[from:from+len(s)], -slope)
		return slope * float32(back)
	}
	kernel.AddScaledRow(s, distances[stripe-1-back+from:][:len(s)], -slope)
	return 0
}
