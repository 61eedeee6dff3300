package cpu

import (
	"math"

	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/kv"
)

// Over a cache in fixed point, the queries of a part and the weights of a stripe become integers, too, each query's with a scale of
// its own. The scale of a key multiplies its score, and that of a value its weight.

// fixedScratch is what a worker keeps for products in fixed point.
type fixedScratch struct {
	queries, weights          []int16 // rows of DimK, and of stripe
	queryScales, weightScales []float32
	keyScales, valueScales    []float32            // of a stripe
	keys                      [1][]int16           // a page's
	panels, next              [stripePages][]int16 // of values, and what is fetched meanwhile
}

func (a *attention) fixedScratch(p *program, queries int) *fixedScratch {
	return &fixedScratch{
		queries: take[int16](&p.scratch, queries*a.cache.DimK), queryScales: p.floats(queries),
		weights: take[int16](&p.scratch, queries*stripe), weightScales: p.floats(queries),
		keyScales: p.floats(stripe), valueScales: p.floats(stripe),
	}
}

// fixedStripe is stripe in fixed point.
func (a *attention) fixedStripe(s *attentionStripe, sums *softSums) {
	a.fixedScores(s)
	for q := a.blind(s, s.from); q < s.n(); q++ {
		a.fixedWeigh(s.fixed, sums, a.view(s, q), row(s.s, q))
	}
	a.fixedValues(s, sums)
}

// fixedScores is floatScores in fixed point, without the scales. Meanwhile the values are fetched.
func (a *attention) fixedScores(s *attentionStripe) {
	f, dim := s.fixed, a.cache.DimK
	for page := s.firstPage(); page*kv.PageSize < s.to; page++ {
		i := s.column(page) / kv.PageSize
		var scales []float32
		f.keys[0], scales = a.cache.k.panel(s.span.Pages[page], s.head)
		copy(f.keyScales[i*kv.PageSize:], scales)
		f.panels[i], scales = a.values.panel(s.span.Pages[page], s.head)
		copy(f.valueScales[i*kv.PageSize:], scales)
		blind := a.blind(s, page*kv.PageSize)
		kernel.MulFixed(s.s[blind*stripe+i*kv.PageSize:], stripe, f.queries[blind*dim:], dim, f.keys[:], f.panels[i:i+1],
			s.n()-blind, dim, kv.PageSize, nil)
	}
}

// blind is how many of the first queries see nothing from position at on.
func (a *attention) blind(s *attentionStripe, at int) int {
	for i := s.queries.from; ; i++ {
		if _, end := a.visible(s.span, i); end > at {
			return (i - s.queries.from) * s.heads
		}
	}
}

// fixedWeigh is weigh in fixed point: the weights, together with the scales of the values, become integers.
func (a *attention) fixedWeigh(f *fixedScratch, sums *softSums, v view, s []float32) {
	weights := row(f.weights, v.query)
	if v.from >= v.to {
		clear(weights)
		f.weightScales[v.query] = 0
		return
	}
	seen := s[v.from:v.to]
	top := kernel.ScaleScores(seen, f.keyScales[v.from:v.to], f.queryScales[v.query])
	if a.op.Cap > 0 {
		kernel.SoftCap(seen, seen, a.op.Cap)
	}
	shift := a.addBias(seen, v)
	if a.op.Cap > 0 || a.op.Slopes != nil {
		top = kernel.MaxOf(seen)
	}
	if m := top + shift; m > sums.max[v.query] {
		sums.raise(v.query, m, a.dim)
	}
	n := chunks(v.to, kv.PageSize) * kv.PageSize // of pages behind it no weights are asked for
	hide(s[:v.from])
	hide(s[v.to:n])
	sum, scale := kernel.FixWeights(weights[:n], s[:n], f.valueScales[:n], sums.max[v.query]-shift)
	sums.sum[v.query] += sum
	f.weightScales[v.query] = scale
}

// hide sets scores to those of weight 0.
func hide(s []float32) {
	for i := range s {
		s[i] = float32(math.Inf(-1))
	}
}

// fixedValues is floatValues in fixed point. Meanwhile the keys of the next stripe are fetched.
func (a *attention) fixedValues(s *attentionStripe, sums *softSums) {
	f, first := s.fixed, s.firstPage()
	n, i := chunks(s.to, kv.PageSize)-first, s.column(first)/kv.PageSize
	for j := range n {
		f.next[i+j] = a.keysAfter(s, first+j)
	}
	for q, j := a.blind(s, s.from), 0; q < s.n(); j++ { // the queries from q to end see j+1 pages
		end := s.n()
		if j+1 < n {
			end = a.blind(s, (first+j+1)*kv.PageSize)
		}
		kernel.MulFixed(sums.acc[q*a.dim:], a.dim, f.weights[q*stripe+i*kv.PageSize:], stripe, f.panels[i:i+j+1], f.next[i:i+j+1],
			end-q, kv.PageSize, a.dim, f.weightScales[q:])
		q = end
	}
}

// keysAfter are those that are read in place of a page's after its stripe: of the next stripe, or of the next head.
func (a *attention) keysAfter(s *attentionStripe, page int) []int16 {
	head, next := s.head, page+stripePages
	if next >= s.order.end {
		head, next = s.head+1, s.order.start+page%stripePages
	}
	if head == a.cache.HeadsKV || next >= s.order.end {
		head, next = s.head, page
	}
	keys, _ := a.cache.k.panel(s.span.Pages[next], head)
	return keys
}
