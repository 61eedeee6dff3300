package cpu

import (
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
)

// keyChooser is the chooser of graph.Index. A row has a score a key, summed over the heads.
type keyChooser struct{ op *graph.Index }

func (p *program) addIndex(op *graph.Index) {
	x := &indexer{chooser: keyChooser{op}, choice: &op.Choice, q: op.Q, heads: op.Heads, cache: &p.cache.layers[op.Layer]}
	p.addIndexer(op, x, op.K, p.options.Pages*kv.PageSize)
}

// ones are factors that change nothing.
var ones = func() (p [kv.PageSize]float32) {
	fill(p[:], 1)
	return p
}()

func (c keyChooser) keys(pos int) int { return c.op.Complete(pos) }

// page adds up over heads, weighted, what is positive in the products of a page.
func (c keyChooser) page(r *run, x *indexer, w *indexScratch, row, page int, keys []byte, scores []float32) {
	slots := x.cache.k.slots
	x.dot.Rows(w.s, slots, keys, w.acts, x.heads, c.op.K.Width)
	scores = scores[page*slots : (page+1)*slots]
	for h := range x.heads {
		s := w.s[h*slots : (h+1)*slots]
		kernel.ReLUMul(s, s, ones[:slots])
	}
	clear(scores)
	if c.op.W == nil {
		for h := range x.heads {
			kernel.Add(scores, scores, w.s[h*slots:(h+1)*slots])
		}
		return
	}
	weightedRows(scores, slots, r.row(c.op.W, row), x.heads, float32Bytes(w.s), nil, slots, 1, x.heads, slots)
}

func (c keyChooser) all(pos int) int {
	if c.op.Blocks {
		return c.op.Complete(pos)
	}
	return pos + 1
}

func (c keyChooser) choose(dst, scores []float32, pos int) {
	dst[0] = float32(c.numbers(dst[1:], scores[:c.op.Complete(pos)], pos))
}

// numbers writes the numbers of the chosen blocks, or of their tokens and those after the last block, and returns how many.
func (c keyChooser) numbers(dst, scores []float32, pos int) int {
	n := greatestOf(dst, scores, c.op.Top)
	if c.op.Blocks || c.op.Ratio == 1 {
		return n
	}
	spread(dst, n, c.op.Ratio)
	n *= c.op.Ratio
	for t := len(scores) * c.op.Ratio; t <= pos; t++ {
		dst[n] = float32(t)
		n++
	}
	return n
}

// spread replaces the numbers of n blocks by those of their tokens, from the last on: a number is read before it is overwritten.
func spread(dst []float32, n, size int) {
	for i := n - 1; i >= 0; i-- {
		first := int(dst[i]) * size
		for t := range size {
			dst[i*size+t] = float32(first + t)
		}
	}
}
