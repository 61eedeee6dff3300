package cpu

import (
	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/kv"
)

// readingOrder is the order in which attention reads the pages of a sequence, which may lie anywhere: stripe after stripe, the keys of a
// stripe before its values, and then the next head.
type readingOrder struct {
	*attention
	pages      []kv.Page
	start, end int // of the pages that the queries see
}

func (a *attention) order(span *backend.Span, q *queries) readingOrder {
	start, _ := a.visible(span, q.from)
	_, end := a.visible(span, q.to-1)
	return readingOrder{a, span.Pages, start / kv.PageSize, chunks(end, kv.PageSize)}
}

// place is one page in that order: page number page of a stripe that begins at page first.
type place struct {
	head, first, page int
	values            bool
}

// next is the place after p.
func (o *readingOrder) next(p place) place {
	end := min(p.first/stripePages*stripePages+stripePages, o.end) // of the stripe
	switch p.page++; {
	case p.page < end:
	case !p.values && o.op.V != nil:
		p.page, p.values = p.first, true
	case end < o.end:
		p = place{head: p.head, first: end, page: end}
	default:
		p = place{head: p.head + 1, first: o.start, page: o.start}
	}
	return p
}

// ahead returns the rows that are to be fetched from memory while the n pages from p on are read: those after the next page, or with
// several those after these, as many bytes as are read meanwhile. It may be nil.
func (o *readingOrder) ahead(p place, n int) []byte {
	for range max(n, 2) {
		p = o.next(p)
	}
	switch {
	case p.head >= o.cache.HeadsKV:
		return nil
	case p.values:
		return o.values.head(o.pages[p.page], p.head)
	}
	return o.cache.k.head(o.pages[p.page], p.head)
}
