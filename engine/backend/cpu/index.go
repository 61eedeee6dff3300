package cpu

import (
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
)

// indexer is the step of graph.Index and graph.BlockIndex that scores keys, a small matrix a page, as in attention. There are as many
// rows of scores as workers. If no more rows than that choose, each has one of its own, a part is a range of pages, and the next step
// chooses: so one row keeps all workers busy. Otherwise a part is a row, scored in the worker's scores, and chooses at once. Rows that
// see all are left out.
type indexer struct {
	chooser
	choice *graph.Choice
	q      *graph.Tensor
	heads  int
	cache  *layerCache
	dot    kernel.MatMul
	items  []indexItem
	few    bool    // rows of this batch choose
	place  []int32 // by row: which scores are its own, where few do
	work   []indexScratch
}

// chooser is what tells the kinds of indexers apart.
type chooser interface {
	// keys is how many keys a row at a position may choose from.
	keys(pos int) int
	// page writes the scores of the keys of a page.
	page(r *run, x *indexer, w *indexScratch, row, page int, keys []byte, scores []float32)
	// choose writes the numbers of those that a row chooses to a list for each head or one for all.
	choose(dst, scores []float32, pos int)
	// all is how many a row has that sees all.
	all(pos int) int
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

// addIndexer adds three steps: store keys, score them, choose. scores is how many a row has.
func (p *program) addIndexer(op graph.Op, x *indexer, k *graph.Tensor, scores int) {
	x.dot, x.place = kernel.MatMulFor(x.cache.k.read), make([]int32, p.options.Rows)
	for range p.crew.n {
		x.work = append(x.work, indexScratch{p.bytes(x.heads * x.dot.ActBytes(k.Width)),
			p.floats(x.heads * x.cache.k.slots), p.floats(x.cache.k.tile())})
	}
	p.scoreSize = max(p.scoreSize, scores)
	p.addStore(&x.cache.k, k, nil)
	p.cutters = append(p.cutters, x)
	p.steps = append(p.steps, x)
	p.add(op, func(r *run, i int) {
		switch pos := int(r.pos[i]); {
		case x.choice.All(pos):
			dst := r.row(x.choice.Dst, i)
			for at := 0; at < len(dst); at += len(dst) / x.choice.Lists {
				dst[at] = float32(x.all(pos))
			}
		case x.few:
			x.choose(r.row(x.choice.Dst, i), r.scores[x.place[i]], pos)
		}
	})
}

// cut lists the parts.
func (x *indexer) cut(r *run) {
	x.items = x.items[:0]
	rows := int32(0)
	for i, pos := range r.pos {
		if x.choice.All(int(pos)) {
			continue
		}
		if int(rows) < r.crew.n {
			x.place[i] = rows
		}
		rows++
		x.items = append(x.items, indexItem{i, 0, chunks(x.keys(int(pos)), x.cache.k.slots)})
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
	x.choose(r.row(x.choice.Dst, item.row), r.scores[worker], int(r.pos[item.row]))
}

// score computes the scores of an item's keys.
func (x *indexer) score(r *run, w *indexScratch, item indexItem, scores []float32) {
	dim, slots := x.q.Width/x.heads, x.cache.k.slots
	size := x.dot.ActBytes(dim)
	q := r.row(x.q, item.row)
	for h := range x.heads {
		x.dot.Prepare(w.acts[h*size:(h+1)*size], q[h*dim:(h+1)*dim])
	}
	pages := r.Spans[r.span[item.row]].Pages
	for page := item.from; page < item.to; page++ {
		at, _ := x.cache.k.place(pages, page*slots)
		keys, _ := x.cache.k.decoded(w.tile, x.cache.k.head(at, 0), nil)
		x.page(r, x, w, item.row, page, keys, scores)
	}
}
