package cpu

import (
	"math"

	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
)

// blockChooser is the chooser of graph.BlockIndex. A row has the products of a head's query with all keys, head after head.
type blockChooser struct {
	op   *graph.BlockIndex
	room int // products of a head
}

func (p *program) addBlockIndex(op *graph.BlockIndex) {
	c := blockChooser{op, p.options.Pages * kv.PageSize}
	x := &indexer{chooser: c, choice: &op.Choice, q: op.Q, heads: op.Heads, cache: &p.cache.layers[op.Layer]}
	p.addIndexer(op, x, op.K, op.Heads*c.room)
}

func (c blockChooser) keys(pos int) int { return pos + 1 }

func (c blockChooser) all(pos int) int { return pos + 1 }

func (c blockChooser) page(_ *run, x *indexer, w *indexScratch, _, page int, keys []byte, scores []float32) {
	x.dot.Rows(scores[page*kv.PageSize:], c.room, keys, w.acts, x.heads, c.op.K.Width)
}

func (c blockChooser) choose(dst, scores []float32, pos int) {
	width := len(dst) / c.op.Heads
	for h := range c.op.Heads {
		list := dst[h*width : (h+1)*width]
		list[0] = float32(c.tokens(list[1:], scores[h*c.room:][:pos+1]))
	}
}

// tokens writes the numbers of the tokens of a head's blocks, and returns how many.
func (c blockChooser) tokens(dst, products []float32) int {
	size, blocks := c.op.Size, chunks(len(products), c.op.Size)
	for b := range blocks { // the score of a block takes the place of a product that was read
		products[b] = kernel.MaxOf(products[b*size : min((b+1)*size, len(products))])
	}
	fill(products[max(0, blocks-c.op.Local):blocks], float32(math.Inf(1)))
	n := greatestOf(dst, products[:blocks], c.op.Top)
	last := int(dst[n-1])
	spread(dst, n, size)
	if last < blocks-1 {
		return n * size
	}
	return n*size - (blocks*size - len(products)) // the row's own block ends with it
}
