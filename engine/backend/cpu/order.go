package cpu

import (
	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/kv"
)

// readingOrder is the order in which attention reads the pages of a stripe, which may lie anywhere: those of the keys, then those of the
// values. What comes after them are the keys of the next stripe, or of the next head.
type readingOrder struct {
	*attention
	pages       []kv.Page
	head        int
	first, n    int // pages of the stripe
	begin, last int // pages that the queries see
}

func (a *attention) order(span *backend.Span, q *queries, from, to int) readingOrder {
	begin, _ := a.visible(span, q.from)
	_, end := a.visible(span, q.to-1)
	first := from / kv.PageSize
	return readingOrder{a, span.Pages, q.head, first, chunks(to, kv.PageSize) - first, begin / kv.PageSize, chunks(end, kv.PageSize)}
}

// ahead returns the rows that are to be fetched from memory while the i-th page in order is read: those of the page after the next. It may
// be nil.
func (o *readingOrder) ahead(i int) []byte {
	i += 2
	if i >= o.n && i < 2*o.n && o.op.V != nil {
		return o.values.head(o.pages[o.first+i-o.n], o.head)
	}
	page, head := o.first+i, o.head
	if i >= o.n && o.op.V != nil {
		page -= o.n
	}
	if page >= o.last {
		page, head = o.begin+page-o.last, head+1
	}
	if page >= o.last || head >= o.cache.HeadsKV {
		return nil
	}
	return o.cache.k.head(o.pages[page], head)
}
