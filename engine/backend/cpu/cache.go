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

// cache is the memory of the key-value pages. In each layer a page holds, head after head, kv.PageSize rows of keys; and
// the same of values. So the keys of one head in one page are a small matrix, which attention multiplies with queries by
// the same kernels as weights.
type cache struct {
	layers []layerCache
}

type layerCache struct {
	graph.Layer
	k, v   block
	scores kernel.MatMul // of what k reads
	sum    func(acc []float32, ldacc int, p []float32, ldp int, v []byte, m, n, d int)
}

// block is one kind of row, keys or values, of all pages of a layer. What the kernels of attention do not read where it lies is
// decoded to float32, a page of one head at a time.
type block struct {
	typ    quant.Type
	row    int // bytes of one head's row of one token
	heads  int
	dim    int
	data   []byte
	decode func(dst []float32, src []byte) // nil: rows are read as they are
	read   quant.Type                      // what the kernels read
}

// cacheTypes are what keys and values can be kept as, whatever the other is.
var cacheTypes = []quant.Type{quant.F32, quant.F16, quant.BF16, quant.Q8_0, quant.Q4_0, quant.Q4_1, quant.Q5_0, quant.Q5_1, quant.IQ4_NL}

func checkCache(g *graph.Graph, o backend.Options) error {
	for _, t := range []quant.Type{o.TypeK, o.TypeV} {
		if !slices.Contains(cacheTypes, t) {
			return fmt.Errorf("cpu: cache type %v is not supported, use one of %v", t, cacheTypes)
		}
	}
	return backend.CheckCache(g, o.TypeK, o.TypeV)
}

func newCache(layers []graph.Layer, o backend.Options, m *memory) *cache {
	c := &cache{}
	for _, l := range layers {
		layer := layerCache{Layer: l,
			k: newBlock(o.TypeK, l.HeadsKV, l.DimK, o.Pages, m, quant.F32, quant.F16, quant.BF16),
			v: newBlock(o.TypeV, l.HeadsKV, l.DimV, o.Pages, m, quant.F32, quant.F16)}
		layer.scores, layer.sum = kernel.MatMulFor(layer.k.read), kernel.AccumulateFor(layer.v.read)
		c.layers = append(c.layers, layer)
	}
	return c
}

// newBlock makes a block; direct are the types that need not be decoded.
func newBlock(t quant.Type, heads, dim, pages int, m *memory, direct ...quant.Type) block {
	b := block{typ: t, row: t.RowBytes(dim), heads: heads, dim: dim, read: t}
	if !slices.Contains(direct, t) {
		b.decode, b.read = kernel.LoadFor(t), quant.F32
	}
	b.data = take[byte](m, pages*heads*kv.PageSize*b.row)
	return b
}

// tile is the size of the memory that load needs.
func (b *block) tile() int {
	if b.decode == nil {
		return 0
	}
	return kv.PageSize * b.dim
}

// load returns the first n rows of one head in a page, of type read.
func (b *block) load(tile []float32, page kv.Page, head, n int) []byte {
	rows := b.head(page, head)[:n*b.row]
	if b.decode == nil {
		return rows
	}
	tile = tile[:n*b.dim]
	b.decode(tile, rows)
	return float32Bytes(tile)
}

// head returns the rows of one head in a page: kv.PageSize rows.
func (b *block) head(page kv.Page, head int) []byte {
	size := kv.PageSize * b.row
	at := (int(page)*b.heads + head) * size
	return b.data[at : at+size : at+size]
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

// copy copies the first tokens of a page to another.
func (c *cache) copy(k kv.Copy) {
	for i := range c.layers {
		for _, b := range []*block{&c.layers[i].k, &c.layers[i].v} {
			for h := range b.heads {
				copy(b.head(k.To, h)[:k.Tokens*b.row], b.head(k.From, h))
			}
		}
	}
}

// float32Bytes is the memory of x, in the machine's order, which is the order that kernels read.
func float32Bytes(x []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}
