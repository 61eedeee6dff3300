package cpu

import (
	"math"
	"sync/atomic"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
)

// Attention goes through the pages of a sequence in order, and keeps for every query the greatest score so far, the sum
// of exponentials and the weighted sum of values (online softmax: Milakov and Gimelshein 2018, arXiv:1805.02867; Dao et
// al. 2022, arXiv:2205.14135). Pages always begin at multiples of kv.PageSize, and every segmentPages pages the sums are merged
// into those of the pages before and begin anew. So a query's sums are the same however the prompt was cut, whatever else is in
// the batch, and whoever computed the segments (split.go).
//
// A part is one key head and a few rows of one sequence: the queries of all heads that share the key head, for those rows,
// are multiplied with a page of keys at once, so that a page is read, and decoded where its type is one of blocks, once for all.

type attention struct {
	op      *graph.Attention
	cache   *layerCache
	group   int // query heads a key head
	rows    int // rows of a part
	items   []attentionItem
	jobs    []attentionJob
	open    []atomic.Int32
	partial *partialSums
	work    []attentionScratch // by worker
}

// segmentPages is the number of pages whose sums are merged at once.
const segmentPages = 16

// attentionScratch is what a worker keeps for the queries of a part, numbered row by row, heads inside.
type attentionScratch struct {
	acts       []byte    // prepared queries
	s          []float32 // scores, kv.PageSize a query
	keys, vals []float32 // a page of one head, where it must be decoded
	part       sums      // of the segment
	all        sums      // of the segments so far
}

// sums are those of the online softmax.
type sums struct {
	acc []float32 // weighted sums of values, DimV a query
	max []float32 // greatest score
	sum []float32 // of exponentials
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
	a := &attention{op: op, cache: c, partial: &p.partial}
	a.group = op.Heads / c.HeadsKV
	a.rows = max(1, queriesAPart/a.group)
	for range p.crew.n {
		a.work = append(a.work, p.newScratch(a))
	}
	p.partial.reserve(a, p.options.Pages)
	p.attentions = append(p.attentions, a)
	p.steps = append(p.steps, a)
}

func (p *program) newScratch(a *attention) attentionScratch {
	queries := a.rows * a.group
	return attentionScratch{
		acts: p.bytes(queries * a.cache.scores.ActBytes(a.cache.DimK)),
		s:    p.floats(queries * kv.PageSize),
		keys: p.floats(a.cache.k.tile()),
		vals: p.floats(a.cache.v.tile()),
		part: p.newSums(queries, a.cache.DimV),
		all:  p.newSums(queries, a.cache.DimV),
	}
}

func (p *program) newSums(queries, dim int) sums {
	return sums{acc: p.floats(queries * dim), max: p.floats(queries), sum: p.floats(queries)}
}

func (a *attention) parts(*run) int { return len(a.jobs) }

func (a *attention) do(r *run, worker, part int) {
	job := a.jobs[part]
	item, head, w := &a.items[job.item], int(job.head), &a.work[worker]
	a.prepare(r, w, item, head)
	first, _ := a.segments(r, item)
	if item.at < 0 {
		a.begin(w, item, head)
		for s := range item.segments {
			a.segment(r, w, item, head, first+s, &w.part)
			a.merge(&w.all, &w.part, item)
		}
		a.end(r, w, item, head)
		return
	}
	segment := a.partialOf(item, head, int(job.segment))
	a.segment(r, w, item, head, first+int(job.segment), &segment)
	if !a.finish(item, head) {
		return
	}
	a.begin(w, item, head)
	for s := range item.segments {
		segment := a.partialOf(item, head, s)
		a.merge(&w.all, &segment, item)
	}
	a.end(r, w, item, head)
}

// visible are the positions [from, to) that row i of a span sees.
func (a *attention) visible(span *backend.Span, i int) (from, to int) {
	pos := span.Past + i
	switch {
	case a.op.Full:
		return span.Past, span.Past + span.N
	case a.op.Chunk > 0:
		return pos / a.op.Chunk * a.op.Chunk, pos + 1
	case a.cache.Window == 0:
		return 0, pos + 1
	}
	return max(0, pos-a.cache.Window+1), pos + 1
}

// segments are the segments [from, to) that the rows of an item see.
func (a *attention) segments(r *run, item *attentionItem) (from, to int) {
	const tokens = segmentPages * kv.PageSize
	span := &r.Spans[item.span]
	first, _ := a.visible(span, item.from)
	_, end := a.visible(span, item.to-1)
	return first / tokens, (end + tokens - 1) / tokens
}

// prepare makes the queries of a part ready to be multiplied with keys.
func (a *attention) prepare(r *run, w *attentionScratch, item *attentionItem, head int) {
	dim := a.cache.DimK
	size := a.cache.scores.ActBytes(dim)
	first := r.Spans[item.span].Row
	q := 0
	for i := item.from; i < item.to; i++ {
		row := r.row(a.op.Q, first+i)[head*a.group*dim:]
		for g := range a.group {
			a.cache.scores.Prepare(w.acts[q*size:(q+1)*size], row[g*dim:(g+1)*dim])
			q++
		}
	}
}

// begin sets the sums to those before the first key: of a head's sink, or of nothing.
func (a *attention) begin(w *attentionScratch, item *attentionItem, head int) {
	queries := (item.to - item.from) * a.group
	w.all.clear(queries, a.cache.DimV)
	if a.op.Sinks != nil {
		for q := range queries {
			w.all.max[q], w.all.sum[q] = a.op.Sinks[head*a.group+q%a.group], 1
		}
	}
}

func (s *sums) clear(queries, dim int) {
	clear(s.acc[:queries*dim])
	for q := range queries {
		s.max[q], s.sum[q] = float32(math.Inf(-1)), 0
	}
}

// segment computes the sums of one segment for every query of a part.
func (a *attention) segment(r *run, w *attentionScratch, item *attentionItem, head, segment int, s *sums) {
	s.clear((item.to-item.from)*a.group, a.cache.DimV)
	span := &r.Spans[item.span]
	first, _ := a.visible(span, item.from)
	_, end := a.visible(span, item.to-1)
	page := max(first/kv.PageSize, segment*segmentPages)
	for ; page < (segment+1)*segmentPages && page*kv.PageSize < end; page++ {
		a.page(w, span, item, head, page, min(kv.PageSize, end-page*kv.PageSize), s)
	}
}

// page adds the first n keys of a page to the sums of every query of the part.
func (a *attention) page(w *attentionScratch, span *backend.Span, item *attentionItem, head, page, n int, s *sums) {
	queries := (item.to - item.from) * a.group
	a.cache.scores.Rows(w.s, kv.PageSize, a.cache.k.load(w.keys, span.Pages[page], head, n), w.acts, queries, a.cache.DimK)
	for q := range queries {
		row := item.from + q/a.group
		from, to := a.visible(span, row)
		a.weigh(s, q, w.s[q*kv.PageSize:q*kv.PageSize+n], max(0, from-page*kv.PageSize), min(n, to-page*kv.PageSize),
			head*a.group+q%a.group, span.Past+row-page*kv.PageSize)
	}
	a.cache.sum(s.acc, a.cache.DimV, w.s, kv.PageSize, a.cache.v.load(w.vals, span.Pages[page], head, n), queries, n, a.cache.DimV)
}

// weigh turns the scores [from, to) of query q into weights relative to the greatest score so far; the others get 0. The query
// is of head h and back positions after the page's first.
func (a *attention) weigh(sums *sums, q int, s []float32, from, to, h, back int) {
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
	if m := kernel.MaxOf(s) + shift; m > sums.max[q] {
		sums.raise(q, m, a.cache.DimV)
	}
	sums.sum[q] += kernel.ExpSum(s, sums.max[q]-shift)
}

// raise makes m, which is greater, the greatest score of a query.
func (s *sums) raise(q int, m float32, dim int) {
	old := float32(math.Exp(float64(s.max[q] - m)))
	acc := s.acc[q*dim : (q+1)*dim]
	kernel.Scale(acc, acc, old)
	s.sum[q] *= old
	s.max[q] = m
}

// merge adds the sums of a segment to those of the segments before.
func (a *attention) merge(all, part *sums, item *attentionItem) {
	dim := a.cache.DimV
	for q := range (item.to - item.from) * a.group {
		if part.sum[q] == 0 { // the query sees nothing there
			continue
		}
		if part.max[q] > all.max[q] {
			all.raise(q, part.max[q], dim)
		}
		by := float32(math.Exp(float64(part.max[q] - all.max[q])))
		kernel.AddScaledRow(all.acc[q*dim:(q+1)*dim], part.acc[q*dim:(q+1)*dim], by)
		all.sum[q] += by * part.sum[q]
	}
}

// end divides by the sums and writes the heads' rows.
func (a *attention) end(r *run, w *attentionScratch, item *attentionItem, head int) {
	dim := a.cache.DimV
	first := r.Spans[item.span].Row
	q := 0
	for i := item.from; i < item.to; i++ {
		row := r.row(a.op.Dst, first+i)[head*a.group*dim:]
		for g := range a.group {
			kernel.Scale(row[g*dim:(g+1)*dim], w.all.acc[q*dim:(q+1)*dim], 1/w.all.sum[q])
			q++
		}
	}
}
