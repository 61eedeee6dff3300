package cpu

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/quant"
)

// cache is the memory of the key-value pages. In each layer there are, head after head, all pages, of kv.PageSize rows
// of keys each; and the same of values. Where several tokens have one key, a page has as many fewer rows, one at least. So the keys of
// one head in one page are a small matrix, which attention multiplies with queries by the same kernels as weights, and those of pages
// with consecutive numbers, as a sequence that is alone has them, lie side by side: memory is read as one long run.
type cache struct {
	layers []layerCache
}

type layerCache struct {
	graph.Layer
	k, v block
}

// block is one kind of row, keys or values, of all pages of a layer. What the kernels of attention do not read where it lies is
// decoded to float32, a page of one head at a time.
type block struct {
	typ    quant.Type
	row    int // bytes of one head's row of one token, with its scale in fixed point
	dim    int // elements of it
	heads  int
	ratio  int // tokens a row
	slots  int // rows a page
	pages  int
	data   []byte
	decode func(dst []float32, src, next []byte) // nil: rows are read as they are
	read   quant.Type                            // what the kernels read
	fixed  *fixedRows                            // in place of data; nil: rows are of typ
}

// cacheTypes are what keys and values can be kept as, whatever the other is.
var cacheTypes = []quant.Type{quant.F32, quant.F16, quant.BF16, quant.Q8_0, quant.Q4_0, quant.Q4_1, quant.Q5_0, quant.Q5_1, quant.IQ4_NL}

func checkCache(g *graph.Graph, o backend.Options) error {
	for _, t := range []quant.Type{o.TypeK, o.TypeV} {
		if !slices.Contains(cacheTypes, t) {
			return fmt.Errorf("cpu: cache type %v is not supported, use one of %v", t, cacheTypes)
		}
	}
	for _, l := range g.Layers {
		if r := max(1, l.Ratio); kv.PageSize%r != 0 && r%kv.PageSize != 0 {
			return fmt.Errorf("cpu: keys of %d tokens do not fit pages of %d", r, kv.PageSize)
		}
	}
	return backend.CheckCache(g, o.TypeK, o.TypeV)
}

func newCache(g *graph.Graph, o backend.Options, m *memory) *cache {
	c, fixed := &cache{}, FixedLayers(g, o.TypeK, o.TypeV)
	for i, l := range g.Layers {
		layer := layerCache{Layer: l, k: newBlock(o.TypeK, l, l.DimK, o.Pages), v: newBlock(o.TypeV, l, l.DimV, o.Pages)}
		if fixed[i] {
			layer.v.keepFixed(m, false)
			layer.k.keepFixed(m, true)
		} else {
			direct := []quant.Type{quant.F32, quant.F16}
			layer.v.keep(m, direct)
			if l.DimV > 0 { // else keys may be values, too
				direct = append(direct, quant.BF16)
			}
			layer.k.keep(m, direct)
		}
		c.layers = append(c.layers, layer)
	}
	return c
}

// newBlock makes a block without memory.
func newBlock(t quant.Type, l graph.Layer, dim, pages int) block {
	ratio := max(1, l.Ratio)
	return block{typ: t, row: t.RowBytes(dim), dim: dim, heads: l.HeadsKV, ratio: ratio, slots: max(1, kv.PageSize/ratio), pages: pages, read: t}
}

// keep gives a block the memory for its rows; direct are the types that need not be decoded.
func (b *block) keep(m *memory, direct []quant.Type) {
	if !slices.Contains(direct, b.typ) {
		b.decode, b.read = kernel.LoadFor(b.typ), quant.F32
	}
	b.data = take[byte](m, b.pages*b.heads*b.slots*b.row)
}

// tile is the size of the memory that decoded needs, in floats.
func (b *block) tile() int {
	if b.decode == nil {
		return 0
	}
	return kv.PageSize * b.dim
}

// decoded returns rows in the type read; where they must be decoded, they are those of one page at most. next is what is to be fetched from
// memory meanwhile; still is what of it is left to who reads the rows.
func (b *block) decoded(tile []float32, rows, next []byte) (read, still []byte) {
	if b.decode == nil {
		return rows, next
	}
	tile = tile[:len(rows)/b.row*b.dim]
	b.decode(tile, rows, next)
	return float32Bytes(tile), nil
}

// place finds row n of a sequence: in the page of the last of its tokens.
func (b *block) place(pages []kv.Page, n int) (page kv.Page, slot int) {
	last := (n+1)*b.ratio - 1
	return pages[last/kv.PageSize], last % kv.PageSize / b.ratio
}

// head returns the rows of one head in a page: kv.PageSize rows of single tokens.
func (b *block) head(page kv.Page, head int) []byte {
	size := b.slots * b.row
	return b.from(page, head)[:size:size]
}

// first returns n rows of one head from the first in a page on: more than a page has where the next ones lie behind it.
func (b *block) first(page kv.Page, head, n int) []byte {
	size := n * b.row
	return b.from(page, head)[:size:size]
}

// from is the memory from the rows of one head in a page on.
func (b *block) from(page kv.Page, head int) []byte {
	return b.data[(head*b.pages+int(page))*b.slots*b.row:]
}

// minTogether is the least number of queries for which pages are read together. With fewer, reading waits for memory, and pages are better
// fetched one by one.
const minTogether = 8

// together is how many of some pages are read as one: the first and those that lie behind it.
func (b *block) together(pages []kv.Page, queries int) int {
	n := 1
	for queries >= minTogether && b.decode == nil && n < len(pages) && pages[n] == pages[0]+kv.Page(n) {
		n++
	}
	return n
}

// store writes one token's row x, all heads, to slot slot of a page.
func (b *block) store(page kv.Page, slot int, x []float32) {
	for h := range b.heads {
		dst := b.head(page, h)[slot*b.row : (slot+1)*b.row]
		b.encode(dst, x[h*b.dim:(h+1)*b.dim])
	}
}

// encode writes one head's row. A row that a type of blocks cannot express becomes NaNs, so that the fault is told where the
// logits are.
func (b *block) encode(dst []byte, x []float32) {
	switch b.typ {
	case quant.F32:
		copy(dst, float32Bytes(x))
	case quant.F16:
		kernel.StoreF16(dst, x)
	case quant.BF16:
		kernel.StoreBF16(dst, x)
	default:
		if quant.Encode(b.typ, dst, x) == nil {
			return
		}
		for size := b.typ.RowBytes(32); len(dst) > 0; dst = dst[size:] {
			clear(dst[:size])
			binary.LittleEndian.PutUint16(dst, 0x7e00) // the scale comes first in every type
		}
	}
}

// rows is how many rows the first tokens of a page have. One that belongs to a later token, too, will be written anew.
func (b *block) rows(tokens int) int { return min(b.slots, chunks(tokens, b.ratio)) }

// copyRows copies the first rows of one head, at least, to another page.
func (b *block) copyRows(to, from kv.Page, head, rows int) {
	if b.fixed != nil {
		b.copyFixed(to, from, head)
		return
	}
	copy(b.head(to, head)[:rows*b.row], b.head(from, head))
}

// readRows copies the first rows of one head to dst, row bytes each.
func (b *block) readRows(dst []byte, page kv.Page, head, rows int) {
	if b.fixed != nil {
		b.readFixed(dst, page, head, rows)
		return
	}
	copy(dst, b.head(page, head)[:rows*b.row])
}

// writeRows sets the first rows of one head to what readRows gave.
func (b *block) writeRows(page kv.Page, head, rows int, src []byte) {
	if b.fixed != nil {
		b.writeFixed(page, head, rows, src)
		return
	}
	copy(b.head(page, head), src[:rows*b.row])
}

// copy copies the first tokens of a page, at least, to another.
func (c *cache) copy(k kv.Copy) {
	c.each(func(b *block) {
		for h := range b.heads {
			b.copyRows(k.To, k.From, h, b.rows(k.Tokens))
		}
	})
}

// each visits keys and values of all layers.
func (c *cache) each(visit func(b *block)) {
	for i := range c.layers {
		visit(&c.layers[i].k)
		visit(&c.layers[i].v)
	}
}

// float32Bytes is the memory of x, in the machine's order, which is the order that kernels read.
func float32Bytes(x []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}
