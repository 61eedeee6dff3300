package cpu

import (
	"unsafe"

	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/quant"
)

// Where the tier multiplies in fixed point (kernel.FixRow), a cache of half precision keeps its rows as such integers of 16 bits, in the
// order in which the products read them, and a scale for each. Rows that are gathered, or are keys and values at once, stay as they are.

// fixedRows are the rows of a block in fixed point: a panel for each head and page, head after head.
type fixedRows struct {
	ints   []int16
	scales []float32
	put    func(panel []int16, i int, row []int16)
	get    func(row, panel []int16, i int)
}

// scaleBytes are those of a row's scale.
const scaleBytes = 4

// A page is a panel wide.
var _ [kv.PageSize]struct{} = [kernel.FixedWidth]struct{}{}

// FixedLayers says which of the layers keep their rows in fixed point, with keys and values of these types.
func FixedLayers(g *graph.Graph, k, v quant.Type) []bool {
	fixed := make([]bool, len(g.Layers))
	for i, l := range g.Layers {
		fixed[i] = l.Ratio <= 1 && kernel.HasFixed(k, l.DimK) && kernel.HasFixed(v, l.DimV)
	}
	for _, op := range g.Ops {
		if a, ok := op.(*graph.Attention); ok && (a.Keys != nil || a.Blocks != nil) {
			fixed[a.Layer] = false
		}
	}
	return fixed
}

// keepFixed gives a block the memory for its rows, as columns or as elements of columns, in fixed point.
func (b *block) keepFixed(m *memory, columns bool) {
	rows := b.pages * b.heads * kv.PageSize
	f := &fixedRows{take[int16](m, rows*b.dim), take[float32](m, rows), kernel.PutElement, kernel.GetElement}
	if columns {
		f.put, f.get = kernel.PutColumn, kernel.GetColumn
	}
	b.fixed, b.row = f, quant.F16.RowBytes(b.dim)+scaleBytes
}

// panel returns the rows of one head in a page, and their scales.
func (b *block) panel(page kv.Page, head int) (ints []int16, scales []float32) {
	i := (head*b.pages + int(page)) * kv.PageSize
	return b.fixed.ints[i*b.dim : (i+kv.PageSize)*b.dim : (i+kv.PageSize)*b.dim], b.fixed.scales[i : i+kv.PageSize]
}

// storeFixed writes one head's part of the row x to slot slot of a page; row is scratch memory for it.
func (b *block) storeFixed(page kv.Page, head, slot int, x []float32, row []int16) {
	ints, scales := b.panel(page, head)
	scales[slot] = kernel.FixRow(row, x[head*b.dim:(head+1)*b.dim])
	b.fixed.put(ints, slot, row)
}

// readFixed copies the first rows of one head to dst, each followed by its scale.
func (b *block) readFixed(dst []byte, page kv.Page, head, rows int) {
	ints, scales := b.panel(page, head)
	row := make([]int16, b.dim)
	for i := range rows {
		b.fixed.get(row, ints, i)
		dst = dst[copy(dst, int16Bytes(row)):]
		dst = dst[copy(dst, float32Bytes(scales[i:i+1])):]
	}
}

// writeFixed sets the first rows of one head to what readFixed gave.
func (b *block) writeFixed(page kv.Page, head, rows int, src []byte) {
	ints, scales := b.panel(page, head)
	row := make([]int16, b.dim)
	for i := range rows {
		src = src[copy(int16Bytes(row), src):]
		src = src[copy(float32Bytes(scales[i:i+1]), src):]
		b.fixed.put(ints, i, row)
	}
}

// copyFixed copies one head's rows of a page to another page.
func (b *block) copyFixed(to, from kv.Page, head int) {
	dst, dstScales := b.panel(to, head)
	src, srcScales := b.panel(from, head)
	copy(dst, src)
	copy(dstScales, srcScales)
}

func int16Bytes(x []int16) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 2*len(x))
}
