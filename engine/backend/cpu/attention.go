package cpu

import (
	"sync/atomic"

	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
)

// Attention goes through the pages of a sequence in order, and keeps for every query the greatest score so far, the sum
// of exponentials and the weighted sum of values (online softmax: Milakov and Gimelshein 2018, arXiv:1805.02867; Dao et
// al. 2022, arXiv:2205.14135). Pages always begin at multiples of kv.PageSize, and every segmentPages pages the sums are merged
// into those of the pages before and begin anew (softsums.go). So a query's sums are the same however the prompt was cut, whatever
// else is in the batch, and whoever computed the segments (split.go).
//
// A part is a few rows of one sequence and query heads that share a key head: all their queries are multiplied with a page of
// keys, or some that lie together, at once, so that it is read, and decoded where its type is one of blocks, once for all of them.

type attention struct {
	op      *graph.Attention
	cache   *layerCache
	values  *block // of the cache; the keys where they are the values, too
	turnK   *turn  // of queries, as keys were; nil: none
	turnV   *turn  // of the weighted sums, back to what values were
	scores  kernel.MatMul
	sum     func(acc []float32, ldacc int, p []float32, ldp int, v, next []byte, ldv, m, n, d int)
	group   int // query heads a key head
	heads   int // query heads of a part, at most
	rows    int // rows of a part, at most
	dim     int // columns of the weighted sums: DimV and, where keys are values, as many of the others as are turned with them
	items   []attentionItem
	jobs    []attentionJob
	open    []atomic.Int32 // unfinished segments, one a share of each item that is split
	partial *partialSums
	blocks  *layerCache        // compressed keys; nil: none
	work    []attentionScratch // by worker
}

// segmentPages is the number of pages whose sums are merged at once.
const segmentPages = 16

// attentionScratch is what a worker keeps for the queries of a part, numbered row by row, heads inside.
type attentionScratch struct {
	acts []byte    // prepared queries
	row  []float32 // a query, or a weighted sum, turned
	turn []byte    // scratch of that
	s    []float32 // scores, stripe a query; and then weights
	part softSums  // of the segment
	all  softSums  // of the segments so far

	keyTiles     [stripePages][]float32 // pages of one head, where they must be decoded: one after the other, unless keys are values, too
	valueTile    []float32
	keys, values []byte // kv.PageSize chosen ones side by side
	fixed        *fixedScratch
	own          queries // of the part
}

// queriesAPart is about how many queries are multiplied with a page of keys at once: whole tiles of the kernels, of 6 rows.
const queriesAPart = 72

// headsAPart is how many query heads of one key head a part has at most, so that a few rows are work for several workers.
const headsAPart = 36

// minHeads is the least number of query heads that a part has, where many share a key head.
const minHeads = 8

// addAttention adds two steps: store keys and values, attend.
func (p *program) addAttention(op *graph.Attention) {
	c := &p.cache.layers[op.Layer]
	a := &attention{op: op, cache: c, values: &c.v, dim: op.Dst.Width / op.Heads, scores: kernel.MatMulFor(c.k.read), partial: &p.partial}
	if op.V == nil {
		a.values = &c.k
	}
	a.sum = kernel.AccumulateFor(a.values.read)
	a.turnK, a.turnV = p.turnFor(&c.k), p.turnFor(a.values)
	if a.turnV != nil {
		a.dim = chunks(a.dim, a.turnV.size) * a.turnV.size
	}
	p.addStore(&c.k, op.K, a.turnK)
	if op.V != nil {
		p.addStore(&c.v, op.V, a.turnV)
	}
	if op.Blocks != nil {
		a.blocks = &p.cache.layers[op.Blocks.Layer]
		p.addStore(&a.blocks.k, op.Blocks.K, p.turnFor(&a.blocks.k))
	}
	a.group = op.Heads / c.HeadsKV
	a.heads = a.group
	if a.group > headsAPart {
		a.heads = min(headsAPart, max(minHeads, chunks(a.group, p.crew.n)))
	}
	a.rows = max(1, queriesAPart/a.heads)
	for range p.crew.n {
		a.work = append(a.work, a.scratch(p, a.rows*a.heads))
	}
	a.partial.reserve(a, p.options.Pages)
	p.cutters = append(p.cutters, a)
	p.steps = append(p.steps, a)
}

func (a *attention) scratch(p *program, queries int) attentionScratch {
	w := attentionScratch{
		s:    p.floats(queries * stripe),
		part: p.newSums(queries, a.dim),
		all:  p.newSums(queries, a.dim),
		row:  p.floats(max(a.cache.DimK, a.dim)),
		turn: p.bytes(max(a.turnK.actBytes(a.cache.DimK), a.turnV.actBytes(a.dim))),
	}
	if c := a.cache; c.k.fixed != nil {
		w.fixed = a.fixedScratch(p, queries)
	} else {
		w.acts = p.bytes(queries * a.scores.ActBytes(c.DimK))
	}
	for i := range w.keyTiles {
		if w.keyTiles[i] = w.keyTiles[0]; i == 0 || a.op.V == nil {
			w.keyTiles[i] = p.floats(a.cache.k.tile())
		}
	}
	if a.op.V != nil {
		w.valueTile = p.floats(a.values.tile())
	}
	if a.op.Keys != nil || a.op.Blocks != nil {
		w.keys = p.bytes(kv.PageSize * a.cache.k.row)
		if w.values = w.keys; a.op.V != nil {
			w.values = p.bytes(kv.PageSize * a.cache.v.row)
		}
	}
	return w
}

func (a *attention) do(r *run, worker, part int) {
	job := a.jobs[part]
	item, w := &a.items[job.item], &a.work[worker]
	share := int(job.share)
	first := share % chunks(a.group, a.heads) * a.heads
	head := share / chunks(a.group, a.heads)
	q := &w.own
	*q = queries{attentionItem: item, head: head, first: head*a.group + first, heads: min(a.heads, a.group-first)}
	a.prepare(r, w, q)
	if item.at < 0 {
		a.whole(r, w, q)
		return
	}
	sums := a.partialOf(item, share, int(job.segment))
	a.segment(r, w, q, int(job.segment), &sums)
	if !a.finish(item, share) {
		return
	}
	a.begin(w, q)
	for s := range item.segments {
		sums := a.partialOf(item, share, s)
		w.all.merge(&sums, q.n(), a.dim)
	}
	a.end(r, w, q)
}

// whole computes all segments of an item that is not split.
func (a *attention) whole(r *run, w *attentionScratch, q *queries) {
	if a.op.Sinks != nil {
		a.begin(w, q)
	}
	for s := range q.segments {
		a.segment(r, w, q, s, &w.part)
		if s == 0 && a.op.Sinks == nil {
			w.all, w.part = w.part, w.all // instead of adding them to nothing
		} else {
			w.all.merge(&w.part, q.n(), a.dim)
		}
	}
	a.end(r, w, q)
}
