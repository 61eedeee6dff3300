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
// A part is a few rows of one sequence and query heads that share a key head: all their queries are multiplied with a page of
// keys at once.

type attention struct {
	op     *graph.Attention
	cache  *layerCache
	values *block // of the cache; the keys where they are the values, too
	scores kernel.MatMul
	sum    func(acc []float32, ldacc int, p []float32, ldp int, v []byte, m, n, d int)
	group  int // query heads a key head
	heads  int // query heads of a part, at most
	rows   int // rows of a part, at most
	dim    int // columns of the weighted sums: DimV or, where keys are values, DimK
	items  []attentionItem
	blocks *layerCache        // compressed keys; nil: none
	work   []attentionScratch // by worker
}

// attentionItem is a range of rows of one span. Where the rows choose their keys there is one row.
type attentionItem struct {
	span, from, to int
	chosen         bool
}

// attentionScratch is what a worker keeps for the queries of a part, numbered row by row, heads inside.
type attentionScratch struct {
	acts []byte    // prepared queries
	s    []float32 // scores, kv.PageSize a query
	acc  []float32 // weighted sums of values, dim a query
	max  []float32
	sum  []float32

	keys, values []byte // kv.PageSize chosen ones side by side
}

// queriesAPart is about how many queries are multiplied with a page of keys at once.
const queriesAPart = 32

// minHeads is the least number of query heads that a part has, where many share a key head.
const minHeads = 8

// addAttention adds two steps: store keys and values, attend.
func (p *program) addAttention(op *graph.Attention) {
	c := &p.cache.layers[op.Layer]
	a := &attention{op: op, cache: c, values: &c.v, dim: c.DimV, scores: kernel.MatMulFor(c.k.typ)}
	if op.V == nil {
		a.values, a.dim = &c.k, c.DimK
	}
	a.sum = kernel.AccumulateFor(a.values.typ)
	p.steps = append(p.steps, &rowStep{op.K, a.store})
	if op.Blocks != nil {
		a.blocks = &p.cache.layers[op.Blocks.Layer]
		p.addStore(op.Blocks.K, a.blocks)
	}
	a.group = op.Heads / c.HeadsKV
	a.heads = a.group
	if a.group > queriesAPart {
		a.heads = min(queriesAPart, max(minHeads, chunks(a.group, p.crew.n)))
	}
	a.rows = max(1, queriesAPart/a.heads)
	for range p.crew.n {
		a.work = append(a.work, a.scratch(p, a.rows*a.heads))
	}
	p.cutters = append(p.cutters, a)
	p.steps = append(p.steps, a)
}

// store stores the key and the value of row i.
func (a *attention) store(r *run, i int) {
	page, slot := a.cache.k.place(r.Spans[r.span[i]].Pages, int(r.pos[i]))
	a.cache.k.store(page, slot, r.row(a.op.K, i))
	if a.op.V != nil {
		a.cache.v.store(page, slot, r.row(a.op.V, i))
	}
}

func (a *attention) scratch(p *program, queries int) attentionScratch {
	w := attentionScratch{
		acts: p.bytes(queries * a.scores.ActBytes(a.cache.DimK)),
		s:    p.floats(queries * kv.PageSize),
		acc:  p.floats(queries * a.dim),
		max:  p.floats(queries),
		sum:  p.floats(queries),
	}
	if a.op.Keys != nil || a.op.Blocks != nil {
		w.keys = p.bytes(kv.PageSize * a.cache.k.row)
		if w.values = w.keys; a.op.V != nil {
			w.values = p.bytes(kv.PageSize * a.cache.v.row)
		}
	}
	return w
}

// cut lists the parts' rows for a batch. It runs before the steps.
func (a *attention) cut(r *run) {
	a.items = a.items[:0]
	for s := range r.Spans {
		for from, n := 0, r.Spans[s].N; from < n; {
			to := from + 1
			chosen := a.chosen(r.Spans[s].Past + from)
			for !chosen && to < min(from+a.rows, n) && !a.chosen(r.Spans[s].Past+to) {
				to++
			}
			a.items = append(a.items, attentionItem{s, from, to, chosen})
			from = to
		}
	}
}

// partsAnItem is how many parts share the rows of an item.
func (a *attention) partsAnItem() int { return a.cache.HeadsKV * chunks(a.group, a.heads) }

func (a *attention) parts(*run) int { return len(a.items) * a.partsAnItem() }

func (a *attention) do(r *run, worker, part int) {
	// The last rows of a prompt see the most keys: they go first, so that no worker ends with a long part.
	item := a.items[len(a.items)-1-part/a.partsAnItem()]
	share := part % a.partsAnItem()
	head := share / chunks(a.group, a.heads)
	first := share % chunks(a.group, a.heads) * a.heads
	q := queries{attentionItem: item, head: head, first: head*a.group + first, heads: min(a.heads, a.group-first)}
	w := &a.work[worker]
	a.begin(r, w, &q)
	span := &r.Spans[item.span]
	if item.chosen {
		a.chosenKeys(r, w, &q)
	} else {
		first, _ := a.visible(span, item.from)
		_, end := a.visible(span, item.to-1)
		for page := first / kv.PageSize; page*kv.PageSize < end; page++ {
			a.page(w, span, &q, page, min(kv.PageSize, end-page*kv.PageSize))
		}
	}
	if a.blocks != nil {
		a.compressedKeys(r, w, &q)
	}
	a.end(r, w, &q)
}

// queries are those of a part: of heads query heads from first on, which share key head head, for the rows of an item.
type queries struct {
	attentionItem
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

// begin prepares the queries of a part.
func (a *attention) begin(r *run, w *attentionScratch, q *queries) {
	dim := a.cache.DimK
	size := a.scores.ActBytes(dim)
	n := 0
	for i := q.from; i < q.to; i++ {
		row := r.row(a.op.Q, r.Spans[q.span].Row+i)[q.first*dim:]
		for g := range q.heads {
			a.scores.Prepare(w.acts[n*size:(n+1)*size], row[g*dim:(g+1)*dim])
			w.max[n], w.sum[n] = a.start(q.first + g)
			n++
		}
	}
	clear(w.acc[:n*a.dim])
}

// start is the greatest score and the sum of exponentials of a head before the first key: those of its sink, or of nothing.
func (a *attention) start(head int) (greatest, sum float32) {
	if a.op.Sinks != nil {
		return a.op.Sinks[head], 1
	}
	return float32(math.Inf(-1)), 0
}

// page adds the first n keys of a page to the sums of every query of the part.
func (a *attention) page(w *attentionScratch, span *backend.Span, q *queries, page, n int) {
	keys := a.cache.k.head(span.Pages[page], q.head)
	a.scores.Rows(w.s, kv.PageSize, keys[:n*a.cache.k.row], w.acts, q.n(), a.cache.DimK)
	for j := range q.n() {
		row := q.from + j/q.heads
		from, to := a.visible(span, row)
		a.weigh(w, j, w.s[j*kv.PageSize:j*kv.PageSize+n], max(0, from-page*kv.PageSize), min(n, to-page*kv.PageSize),
			q.first+j%q.heads, span.Past+row-page*kv.PageSize)
	}
	a.sum(w.acc, a.dim, w.s, kv.PageSize, a.values.head(span.Pages[page], q.head), q.n(), n, a.dim)
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
		acc := w.acc[q*a.dim : (q+1)*a.dim]
		kernel.Scale(acc, acc, old)
		w.sum[q] *= old
		w.max[q] = m
	}
	w.sum[q] += kernel.ExpSum(s, w.max[q]-shift)
}

// end divides by the sums and writes the heads' rows.
func (a *attention) end(r *run, w *attentionScratch, q *queries) {
	dim := a.op.Dst.Width / a.op.Heads
	n := 0
	for i := q.from; i < q.to; i++ {
		row := r.row(a.op.Dst, r.Spans[q.span].Row+i)[q.first*dim:]
		for g := range q.heads {
			kernel.Scale(row[g*dim:(g+1)*dim], w.acc[n*a.dim:n*a.dim+dim], 1/w.sum[n])
			n++
		}
	}
}
