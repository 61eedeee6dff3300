package cpu

import (
	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/kv"
)

// stripe is the number of keys whose scores become weights at once: those of some pages, which divide a segment.
const (
	stripe      = stripePages * kv.PageSize
	stripePages = 4
)

// attentionStripe are the keys of a stripe that the queries of a part see.
type attentionStripe struct {
	*attentionScratch
	*queries
	span         *backend.Span
	order        readingOrder
	at, from, to int                 // the position where the stripe begins, and the range of keys
	keysRead     [stripePages][]byte // by page, as the kernels read them
}

func (s *attentionStripe) firstPage() int { return s.from / kv.PageSize }

// pages are those of the range from a page on.
func (s *attentionStripe) pages(from int) []kv.Page {
	return s.span.Pages[from:chunks(s.to, kv.PageSize)]
}

// tokens are how many keys of the range n pages have.
func (s *attentionStripe) tokens(page, n int) int {
	return min(n*kv.PageSize, s.to-page*kv.PageSize)
}

// column is where a page begins in the stripe.
func (s *attentionStripe) column(page int) int { return page*kv.PageSize - s.at }

// ahead is what is to be fetched while n pages are read.
func (s *attentionStripe) ahead(page, n int, values bool) []byte {
	return s.order.ahead(place{s.head, s.firstPage(), page, values}, n)
}

// row is row i of what has a row of a stripe for each query.
func row[T any](rows []T, i int) []T { return rows[i*stripe : (i+1)*stripe] }

// stripe adds the keys of a stripe to the sums of every query of the part.
func (a *attention) stripe(s *attentionStripe, sums *softSums) {
	if s.fixed != nil {
		a.fixedStripe(s, sums)
		return
	}
	a.floatScores(s)
	for q := range s.n() {
		a.weigh(sums, a.view(s, q), row(s.s, q))
	}
	a.floatValues(s, sums)
}

// view is what a query sees of a stripe, the columns [from, to). The query is of a head, and back positions after the first of the stripe.
type view struct{ query, from, to, head, back int }

func (a *attention) view(s *attentionStripe, query int) view {
	i := s.queries.from + query/s.heads
	from, to := a.visible(s.span, i)
	return view{query, max(0, from-s.at), min(s.to, to) - s.at, s.first + query%s.heads, s.span.Past + i - s.at}
}

// floatScores multiplies the queries with the keys of the stripe.
func (a *attention) floatScores(s *attentionStripe) {
	for page, n := s.firstPage(), 0; page*kv.PageSize < s.to; page += n {
		n = a.cache.k.together(s.pages(page), s.n())
		rows := a.cache.k.first(s.span.Pages[page], s.head, s.tokens(page, n))
		i := s.column(page) / kv.PageSize
		keys, next := a.cache.k.decoded(s.keyTiles[i], rows, s.ahead(page, n, false))
		a.scores.Page(s.s[s.column(page):], stripe, keys, next, s.acts, s.n(), a.cache.DimK)
		s.keysRead[i] = keys
	}
}

// floatValues adds the values of the stripe, by their weights.
func (a *attention) floatValues(s *attentionStripe, sums *softSums) {
	for page, n := s.firstPage(), 0; page*kv.PageSize < s.to; page += n {
		n = a.values.together(s.pages(page), s.n())
		values, next := s.keysRead[s.column(page)/kv.PageSize], []byte(nil)
		if a.op.V != nil {
			rows := a.values.first(s.span.Pages[page], s.head, s.tokens(page, n))
			values, next = a.values.decoded(s.valueTile, rows, s.ahead(page, n, true))
		}
		a.sum(sums.acc, a.dim, s.s[s.column(page):], stripe, values, next, a.values.dim, s.n(), s.tokens(page, n), a.dim)
	}
}

// weigh turns the scores that a query sees into weights relative to the greatest score so far; the others get 0.
func (a *attention) weigh(sums *softSums, v view, s []float32) {
	if v.from >= v.to {
		clear(s)
		return
	}
	clear(s[:v.from])
	clear(s[v.to:])
	s = s[v.from:v.to]
	kernel.Scale(s, s, a.op.Scale)
	if a.op.Cap > 0 {
		kernel.SoftCap(s, s, a.op.Cap)
	}
	shift := a.addBias(s, v)
	if m := kernel.MaxOf(s) + shift; m > sums.max[v.query] {
		sums.raise(v.query, m, a.dim)
	}
	sums.sum[v.query] += kernel.ExpSum(s, sums.max[v.query]-shift)
}
