package cpu

import (
	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
)

// queries are those of a part: of heads query heads from first on, which share key head head, for the rows of an item.
type queries struct {
	*attentionItem
	head, first, heads int
}

func (q *queries) n() int { return (q.to - q.from) * q.heads }

// visible are the positions [from, to) that row i of a span sees.
func (a *attention) visible(span *backend.Span, i int) (from, to int) {
	pos := span.Past + i
	switch {
	case a.op.Full && a.cache.Window == 0:
		return span.Past, span.Past + span.N
	case a.op.Full:
		return max(span.Past, pos-a.cache.Window/2), min(span.Past+span.N, pos+a.cache.Window/2+1)
	case a.op.Chunk > 0:
		return pos / a.op.Chunk * a.op.Chunk, pos + 1
	case a.cache.Window == 0:
		return 0, pos + 1
	}
	return max(0, pos-a.cache.Window+1), pos + 1
}

// prepare makes the queries of a part ready to be multiplied with keys.
func (a *attention) prepare(r *run, w *attentionScratch, q *queries) {
	dim := a.cache.DimK
	size := a.scores.ActBytes(dim)
	n := 0
	for i := q.from; i < q.to; i++ {
		row := r.row(a.op.Q, r.Spans[q.span].Row+i)[q.first*dim:]
		for g := range q.heads {
			query := row[g*dim : (g+1)*dim]
			if a.turnK != nil {
				a.turnK.row(w.row[:dim], query, w.turn)
				query = w.row[:dim]
			}
			if w.fixed != nil {
				w.fixed.queryScales[n] = a.op.Scale * kernel.FixRow(w.fixed.queries[n*dim:(n+1)*dim], query)
			} else {
				a.scores.Prepare(w.acts[n*size:(n+1)*size], query)
			}
			n++
		}
	}
}

// begin sets the sums to those before the first key: of a head's sink, or of nothing.
func (a *attention) begin(w *attentionScratch, q *queries) {
	w.all.clear(q.n(), a.dim)
	if a.op.Sinks != nil {
		for j := range q.n() {
			w.all.max[j], w.all.sum[j] = a.op.Sinks[q.first+j%q.heads], 1
		}
	}
}

// segment computes the sums of one segment for every query of a part. Keys that are chosen are one segment.
func (a *attention) segment(r *run, w *attentionScratch, q *queries, n int, s *softSums) {
	s.clear(q.n(), a.dim)
	if q.chosen {
		a.chosenKeys(r, w, q, s)
		return
	}
	span := &r.Spans[q.span]
	first, _ := a.visible(span, q.from)
	_, end := a.visible(span, q.to-1)
	n += first / segmentTokens
	from, to := max(first, n*segmentTokens), min(end, (n+1)*segmentTokens)
	t := attentionStripe{attentionScratch: w, queries: q, span: span, order: a.order(span, q)}
	for t.at = from / stripe * stripe; t.at < to; t.at += stripe {
		t.from, t.to = max(from, t.at), min(to, t.at+stripe)
		a.stripe(&t, s)
	}
}

// end adds what is compressed, divides by the sums and writes the heads' rows.
func (a *attention) end(r *run, w *attentionScratch, q *queries) {
	if a.blocks != nil {
		w.part.clear(q.n(), a.dim)
		a.compressedKeys(r, w, q, &w.part)
		w.all.merge(&w.part, q.n(), a.dim)
	}
	dim := a.op.Dst.Width / a.op.Heads
	n := 0
	for i := q.from; i < q.to; i++ {
		row := r.row(a.op.Dst, r.Spans[q.span].Row+i)[q.first*dim:]
		for g := range q.heads {
			sum := w.all.acc[n*a.dim : (n+1)*a.dim]
			if a.turnV != nil {
				a.turnV.row(w.row[:a.dim], sum, w.turn)
				sum = w.row[:a.dim]
			}
			kernel.Scale(row[g*dim:(g+1)*dim], sum[:dim], 1/w.all.sum[n])
			n++
		}
	}
}
