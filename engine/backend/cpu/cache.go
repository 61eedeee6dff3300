package cpu

import (
	"unsafe"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/quant"
)

// cache is the memory of the key-value pages. In each layer a page holds, head after head, kv.PageSize rows of keys; and
// the same of values. Where several tokens have one key, a page has as many fewer rows, one at least. So the keys of one head in one page are a small matrix, which attention multiplies with queries by
// the same kernels as weights.
type cache struct {
	layers []layerCache
}

type layerCache struct {
	graph.Layer
	k, v block
}

// block is one kind of row, keys or values, of all pages of a layer.
type block struct {
	typ   quant.Type
	row   int // bytes of one head's row of one token
	heads int
	ratio int // tokens a row
	slots int // rows a page
	data  []byte
}

func newCache(layers []graph.Layer, o backend.Options, m *memory) *cache {
	c := &cache{}
	for _, l := range layers {
		c.layers = append(c.layers, layerCache{Layer: l,
			k: newBlock(o.TypeK, l, l.DimK, o.Pages, m),
			v: newBlock(o.TypeV, l, l.DimV, o.Pages, m)})
	}
	return c
}

func newBlock(t quant.Type, l graph.Layer, dim, pages int, m *memory) block {
	b := block{typ: t, row: t.RowBytes(dim), heads: l.HeadsKV, ratio: max(1, l.Ratio)}
	b.slots = max(1, kv.PageSize/b.ratio)
	b.data = take[byte](m, pages*b.heads*b.slots*b.row)
	return b
}

// place finds row n of a sequence: in the page of the last of its tokens.
func (b *block) place(pages []kv.Page, n int) (page kv.Page, slot int) {
	last := (n+1)*b.ratio - 1
	return pages[last/kv.PageSize], last % kv.PageSize / b.ratio
}

// head returns the rows of one head in a page: kv.PageSize rows of single tokens.
func (b *block) head(page kv.Page, head int) []byte {
	size := b.slots * b.row
	at := (int(page)*b.heads + head) * size
	return b.data[at : at+size : at+size]
}

// store writes one token's row x, all heads, to slot slot of a page.
func (b *block) store(page kv.Page, slot int, x []float32) {
	dim := len(x) / b.heads
	for h := range b.heads {
		dst := b.head(page, h)[slot*b.row : (slot+1)*b.row]
		if b.typ == quant.F16 {
			kernel.StoreF16(dst, x[h*dim:(h+1)*dim])
		} else {
			copy(dst, float32Bytes(x[h*dim:(h+1)*dim]))
		}
	}
}

// copy copies the first tokens of a page to another. A row that belongs to a later token, too, will be written anew.
func (c *cache) copy(k kv.Copy) {
	for i := range c.layers {
		for _, b := range []*block{&c.layers[i].k, &c.layers[i].v} {
			rows := min(b.slots, (k.Tokens+b.ratio-1)/b.ratio)
			for h := range b.heads {
				copy(b.head(k.To, h)[:rows*b.row], b.head(k.From, h))
			}
		}
	}
}

// float32Bytes is the memory of x, in the machine's order, which is the order that kernels read.
func float32Bytes(x []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}
