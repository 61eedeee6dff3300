package cpu

import (
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
)

// Keys that lie apart, chosen ones and compressed ones, are gathered side by side, kv.PageSize at a time, and multiplied with the
// queries of a row as if they were a page. The heads of a part share what its row chose, so that each key is copied once.

// chosen says whether the row at position pos chooses its keys; else it sees all.
func (a *attention) chosen(pos int) bool { return a.op.Keys != nil && !a.op.Keys.All(pos) }

// chosenKeys adds the keys that the part's row chose to the sums of its queries.
func (a *attention) chosenKeys(r *run, w *attentionScratch, q *queries, s *softSums) {
	n, list := listOf(r, a.op.Keys, r.Spans[q.span].Row+q.from, q.head)
	a.gather(r, w, q, s, 0, a.cache, n, list)
}

// listOf returns what row i of the batch chose for a key head.
func listOf(r *run, c *graph.Choice, i, head int) (n int, numbers []float32) {
	list := r.row(c.Dst, i)
	if width := len(list) / c.Lists; c.Lists > 1 {
		list = list[head*width : (head+1)*width]
	}
	return int(list[0]), list[1:]
}

// compressedKeys adds the keys of complete blocks, or those chosen of them, to the sums of the part's queries.
func (a *attention) compressedKeys(r *run, w *attentionScratch, q *queries, s *softSums) {
	blocks, span := a.op.Blocks, &r.Spans[q.span]
	for i := q.from; i < q.to; i++ {
		pos, row := span.Past+i, (i-q.from)*q.heads
		if blocks.Keys == nil || blocks.Keys.All(pos) {
			a.gather(r, w, q, s, row, a.blocks, (pos+1)/blocks.Ratio, nil)
			continue
		}
		n, list := listOf(r, blocks.Keys, span.Row+i, q.head)
		a.gather(r, w, q, s, row, a.blocks, n, list)
	}
}

// gather adds n keys of a layer, those of the list or the first, to the sums of the queries of a row, which begin at the part's
// query first.
func (a *attention) gather(r *run, w *attentionScratch, q *queries, s *softSums, first int, c *layerCache, n int, list []float32) {
	pages := r.Spans[q.span].Pages
	for from := 0; from < n; from += kv.PageSize {
		count := min(kv.PageSize, n-from)
		for j := range count {
			at := from + j
			if list != nil {
				at = int(list[at])
			}
			page, slot := c.k.place(pages, at)
			copy(w.keys[j*c.k.row:(j+1)*c.k.row], c.k.head(page, q.head)[slot*c.k.row:])
			if a.op.V != nil {
				copy(w.values[j*c.v.row:(j+1)*c.v.row], c.v.head(page, q.head)[slot*c.v.row:])
			}
		}
		a.gathered(w, q, s, first, count)
	}
}

// gathered adds n gathered keys to the sums of the queries of a row.
func (a *attention) gathered(w *attentionScratch, q *queries, sums *softSums, first, n int) {
	size := a.scores.ActBytes(a.cache.DimK)
	s, own := w.s[first*stripe:], sums.from(first, a.dim)
	keys, _ := a.cache.k.decoded(w.keyTiles[0], w.keys[:n*a.cache.k.row], nil)
	a.scores.Rows(s, stripe, keys, w.acts[first*size:], q.heads, a.cache.DimK)
	for g := range q.heads {
		a.weigh(&own, view{query: g, to: n, head: q.first + g}, s[g*stripe:g*stripe+n])
	}
	values := keys
	if a.op.V != nil {
		values, _ = a.values.decoded(w.valueTile, w.values[:n*a.values.row], nil)
	}
	a.sum(own.acc, a.dim, s, stripe, values, nil, a.values.dim, q.heads, n, a.dim)
}
