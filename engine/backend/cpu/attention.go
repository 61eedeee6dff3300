package cpu

import (
	"math"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
)

// Attention goes through the pages of a sequence in order, and keeps for every query the greatest score so far, the sum
// of exponentials and the weighted sum of values (online softmax: Milakov and Gimelshein 2018, arXiv:1805.02867; Dao et
// al. 2022, arXiv:2205.14135). The pages always begin at multiples of kv.PageSize, so a query's sums are the same however
// the prompt was cut, and whatever else is in the batch.
//
// A part is one key head and a few rows of one sequence: the queries of all heads that share the key head, for those rows,
// are multiplied with a page of keys at once.

type attention struct {
	op     *graph.Attention
	cache  *layerCache
	scores kernel.MatMul
	sum    func(acc []float32, ldacc int, p []float32, ldp int, v []byte, m, n, d int)
	group  int // query heads a key head
	rows   int // rows of a part
	items  []attentionItem
	work   []attentionScratch // by worker
}

// attentionItem is a range of rows of one span.
type attentionItem struct{ span, from, to int }

// attentionScratch is what a worker keeps for the queries of a part, numbered row by row, heads inside.
type attentionScratch struct {
	acts []byte    // prepared queries
	s    []float32 // scores, kv.PageSize a query
	acc  []float32 // weighted sums of values, DimV a query
	max  []float32
	sum  []float32
}

// queriesAPart is about how many queries are multiplied with a page of keys at once.
const queriesAPart = 32

// addAttention adds two steps: store keys and values, attend.
func (p *program) addAttention(op *graph.Attention) {
	c := &p.cache.layers[op.Layer]
	p.steps = append(p.steps, &rowStep{op.K, func(r *run, i int) {
		pages := r.Spans[r.span[i]].Pages
		page, slot := pages[r.pos[i]/kv.PageSize], int(r.pos[i]%kv.PageSize)
		c.k.store(page, slot, r.row(op.K, i))
		c.v.store(page, slot, r.row(op.V, i))
	}})
	a := &attention{op: op, cache: c, scores: kernel.MatMulFor(c.k.typ), sum: kernel.AccumulateFor(c.v.typ)}
	a.group = op.Heads / c.HeadsKV
	a.rows = max(1, queriesAPart/a.group)
	queries := a.rows * a.group
	for range p.crew.n {
		a.work = append(a.work, attentionScratch{
			acts: p.bytes(queries * a.scores.ActBytes(c.DimK)),
			s:    p.floats(queries * kv.PageSize),
			acc:  p.floats(queries * c.DimV),
			max:  p.floats(queries),
			sum:  p.floats(queries),
		})
	}
	p.attentions = append(p.attentions, a)
	p.steps = append(p.steps, a)
}

// cut lists the parts' rows for a batch. It runs before the steps.
func (a *attention) cut(r *run) {
	a.items = a.items[:0]
	for s := range r.Spans {
		for from := 0; from < r.Spans[s].N; from += a.rows {
			a.items = append(a.items, attentionItem{s, from, min(from+a.rows, r.Spans[s].N)})
		}
	}
}

func (a *attention) parts(*run) int { return len(a.items) * a.cache.HeadsKV }

func (a *attention) do(r *run, worker, part int) {
	// The last rows of a prompt see the most keys: they go first, so that no worker ends with a long part.
	item := a.items[len(a.items)-1-part/a.cache.HeadsKV]
	head := part % a.cache.HeadsKV
	w := &a.work[worker]
	a.begin(r, w, item, head)
	span := &r.Spans[item.span]
	first, _ := a.visible(span, item.from)
	_, end := a.visible(span, item.to-1)
	for page := first / kv.PageSize; page*kv.PageSize < end; page++ {
		a.page(w, span, item, head, page, min(kv.PageSize, end-page*kv.PageSize))
	}
	a.end(r, w, item, head)
}

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

// begin prepares the queries of a part.
func (a *attention) begin(r *run, w *attentionScratch, item attentionItem, head int) {
	dim := a.cache.DimK
	size := a.scores.ActBytes(dim)
	first := r.Spans[item.span].Row
	q := 0
	for i := item.from; i < item.to; i++ {
		row := r.row(a.op.Q, first+i)[head*a.group*dim:]
		for g := range a.group {
			a.scores.Prepare(w.acts[q*size:(q+1)*size], row[g*dim:(g+1)*dim])
			w.max[q], w.sum[q] = a.start(head*a.group + g)
			q++
		}
	}
	clear(w.acc[:q*a.cache.DimV])
}

// start is the greatest score and the sum of exponentials of a head before the first key: those of its sink, or of nothing.
func (a *attention) start(head int) (greatest, sum float32) {
	if a.op.Sinks != nil {
		return a.op.Sinks[head], 1
	}
	return float32(math.Inf(-1)), 0
}

// page adds the first n keys of a page to the sums of every query of the part.
func (a *attention) page(w *attentionScratch, span *backend.Span, item attentionItem, head, page, n int) {
	keys := a.cache.k.head(span.Pages[page], head)
	queries := (item.to - item.from) * a.group
	a.scores.Rows(w.s, kv.PageSize, keys[:n*a.cache.k.row], w.acts, queries, a.cache.DimK)
	for q := range queries {
		row := item.from + q/a.group
		from, to := a.visible(span, row)
		a.weigh(w, q, w.s[q*kv.PageSize:q*kv.PageSize+n], max(0, from-page*kv.PageSize), min(n, to-page*kv.PageSize),
			head*a.group+q%a.group, span.Past+row-page*kv.PageSize)
	}
	values := a.cache.v.head(span.Pages[page], head)
	a.sum(w.acc, a.cache.DimV, w.s, kv.PageSize, values, queries, n, a.cache.DimV)
}

// weigh turns the scores [from, to) of query q into weights relative to the greatest score so far; the others get 0. The query
// is of head h and back positions after the page's first.
func (a *attention) weigh(w *attentionScratch, q int, s []float32, from, to, h, back int) {
	if from >= to {
		clear(s)
		return
	}
	clear(s[:from])
	clear(s[to:])
	s = s[from:to]
	kernel.Scale(s, s, a.op.Scale)
	if a.op.Cap > 0 {
		kernel.SoftCap(s, s, a.op.Cap)
	}
	shift := a.addBias(s, h, back, from)
	if m := kernel.MaxOf(s) + shift; m > w.max[q] {
		old := float32(math.Exp(float64(w.max[q] - m)))
		acc := w.acc[q*a.cache.DimV : (q+1)*a.cache.DimV]
		kernel.Scale(acc, acc, old)
		w.sum[q] *= old
		w.max[q] = m
	}
	w.sum[q] += kernel.ExpSum(s, w.max[q]-shift)
}

// end divides by the sums and writes the heads' rows.
func (a *attention) end(r *run, w *attentionScratch, item attentionItem, head int) {
	dim := a.cache.DimV
	first := r.Spans[item.span].Row
	q := 0
	for i := item.from; i < item.to; i++ {
		row := r.row(a.op.Dst, first+i)[head*a.group*dim:]
		for g := range a.group {
			kernel.Scale(row[g*dim:(g+1)*dim], w.acc[q*dim:(q+1)*dim], 1/w.sum[q])
			q++
		}
	}
}
