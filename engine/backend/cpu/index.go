package cpu

import (
	"math"

	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
)

// indexer is the step of graph.Index that scores keys, a small matrix a page, as in attention. There are as many rows of scores as
// workers. If no more rows than that choose, each has one of its own, a part is a range of pages, and the next step chooses: so one
// row keeps all workers busy. Otherwise a part is a row, scored in the worker's scores, and chooses at once. Rows that have all
// blocks are left out.
type indexer struct {
	op    *graph.Index
	cache *layerCache
	dot   kernel.MatMul
	items []indexItem
	few   bool    // rows of this batch choose
	place []int32 // by row: which scores are its own, where few do
	work  []indexScratch
}

// indexItem is a range of pages for a row of the batch.
type indexItem struct{ row, from, to int }

// indexScratch is what a worker keeps for a row.
type indexScratch struct {
	acts []byte    // prepared queries
	s    []float32 // products of a page, the keys of a head together
	tile []float32 // a page of keys, where it must be decoded
}

// pagesAPart is how many pages of keys a part scores, where few rows choose.
const pagesAPart = 16

// ones are factors that change nothing.
var ones = func() (p [kv.PageSize]float32) {
	for i := range p {
		p[i] = 1
	}
	return p
}()

// addIndex adds three steps: store keys, score them, choose.
func (p *program) addIndex(op *graph.Index) {
	x := &indexer{op: op, cache: &p.cache.layers[op.Layer], place: make([]int32, p.options.Rows)}
	x.dot = kernel.MatMulFor(x.cache.k.read)
	for range p.crew.n {
		x.work = append(x.work, indexScratch{p.bytes(op.Heads * x.dot.ActBytes(op.K.Width)),
			p.floats(op.Heads * x.cache.k.slots), p.floats(x.cache.k.tile())})
	}
	if p.scores == nil {
		p.scores = p.perWorker(p.options.Pages * kv.PageSize)
	}
	p.addStore(x.cache, op.K, nil, false)
	p.cutters = append(p.cutters, x)
	p.steps = append(p.steps, x)
	p.add(op, func(r *run, i int) {
		switch {
		case x.op.All(int(r.pos[i])):
			x.takeAll(r, i)
		case x.few:
			x.choose(r, i, r.scores[x.place[i]])
		}
	})
}

// cut lists the parts.
func (x *indexer) cut(r *run) {
	x.items = x.items[:0]
	rows := int32(0)
	for i, pos := range r.pos {
		if x.op.All(int(pos)) {
			continue
		}
		if int(rows) < r.crew.n {
			x.place[i] = rows
		}
		rows++
		x.items = append(x.items, indexItem{i, 0, chunks(x.op.Complete(int(pos)), x.cache.k.slots)})
	}
	if x.few = int(rows) <= r.crew.n; !x.few {
		return
	}
	for _, whole := range x.items {
		for from := pagesAPart; from < whole.to; from += pagesAPart {
			x.items = append(x.items, indexItem{whole.row, from, min(from+pagesAPart, whole.to)})
		}
	}
	for i := range rows {
		x.items[i].to = min(x.items[i].to, pagesAPart)
	}
}

func (x *indexer) parts(*run) int { return len(x.items) }

func (x *indexer) do(r *run, worker, part int) {
	item := x.items[part]
	if x.few {
		x.score(r, &x.work[worker], item, r.scores[x.place[item.row]])
		return
	}
	x.score(r, &x.work[worker], item, r.scores[worker])
	x.choose(r, item.row, r.scores[worker])
}

// score computes the scores of an item's keys.
func (x *indexer) score(r *run, w *indexScratch, item indexItem, scores []float32) {
	dim, slots := x.op.K.Width, x.cache.k.slots
	size := x.dot.ActBytes(dim)
	q := r.row(x.op.Q, item.row)
	for h := range x.op.Heads {
		x.dot.Prepare(w.acts[h*size:(h+1)*size], q[h*dim:(h+1)*dim])
	}
	pages := r.Spans[r.span[item.row]].Pages
	for page := item.from; page < item.to; page++ {
		at, _ := x.cache.k.place(pages, page*slots)
		x.dot.Rows(w.s, slots, x.cache.k.decoded(w.tile, x.cache.k.head(at, 0)), w.acts, x.op.Heads, dim)
		x.sum(scores[page*slots:(page+1)*slots], w.s, r, item.row)
	}
}

// sum adds up over heads, weighted, what is positive in the products of a page.
func (x *indexer) sum(scores, products []float32, r *run, row int) {
	slots := len(scores)
	for h := range x.op.Heads {
		s := products[h*slots : (h+1)*slots]
		kernel.ReLUMul(s, s, ones[:slots])
	}
	clear(scores)
	if x.op.W == nil {
		for h := range x.op.Heads {
			kernel.Add(scores, scores, products[h*slots:(h+1)*slots])
		}
		return
	}
	weightedRows(scores, slots, r.row(x.op.W, row), x.op.Heads, float32Bytes(products), slots, 1, x.op.Heads, slots)
}

// takeAll writes that row i has all blocks.
func (x *indexer) takeAll(r *run, i int) {
	n := int(r.pos[i]) + 1
	if x.op.Blocks {
		n = x.op.Complete(n - 1)
	}
	r.row(x.op.Dst, i)[0] = float32(n)
}

// choose writes what row i chooses by its scores.
func (x *indexer) choose(r *run, i int, scores []float32) {
	dst, pos := r.row(x.op.Dst, i), int(r.pos[i])
	dst[0] = float32(x.numbers(dst[1:], scores[:x.op.Complete(pos)], pos))
}

// numbers writes the numbers of the chosen blocks, or of their tokens and those after the last block, and returns how many.
func (x *indexer) numbers(dst, scores []float32, pos int) int {
	n := greatestOf(dst, scores, x.op.Top)
	if x.op.Blocks || x.op.Ratio == 1 {
		return n
	}
	for i := n - 1; i >= 0; i-- { // from the last on: a block's number is read before it is overwritten
		first := int(dst[i]) * x.op.Ratio
		for t := range x.op.Ratio {
			dst[i*x.op.Ratio+t] = float32(first + t)
		}
	}
	n *= x.op.Ratio
	for t := len(scores) * x.op.Ratio; t <= pos; t++ {
		dst[n] = float32(t)
		n++
	}
	return n
}

// greatestOf writes the indexes of the n greatest values in ascending order, the first of equals, and returns how many they are.
func greatestOf(dst, x []float32, n int) int {
	least, ties := rank(x, n)
	found := 0
	for i, v := range x {
		switch u := ordered(v); {
		case u < least:
			continue
		case u == least && ties == 0:
			continue
		case u == least:
			ties--
		}
		dst[found] = float32(i)
		found++
	}
	return found
}

// ordered maps a number to an integer of the same order; NaN is above or below all others.
func ordered(x float32) uint32 {
	u := math.Float32bits(x)
	if u>>31 == 1 {
		return ^u
	}
	return u | 1<<31
}

// rank finds the n-th greatest of x, ordered, byte by byte (a radix selection), and how many of those equal to it are among the n
// greatest.
func rank(x []float32, n int) (value uint32, ties int) {
	left := n
	for shift := 24; shift >= 0; shift -= 8 {
		var counts [256]int
		for _, v := range x {
			if u := ordered(v); uint64(u^value)>>(shift+8) == 0 {
				counts[u>>shift&255]++
			}
		}
		digit := 255
		for ; digit > 0 && counts[digit] < left; digit-- {
			left -= counts[digit]
		}
		value |= uint32(digit) << shift
	}
	return value, left
}
