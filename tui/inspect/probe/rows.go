package probe

import (
	"context"
	"slices"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// pieceElements is about how many elements are read and decoded at a time: they stay in the processor's cache.
const pieceElements = 64 << 10

// Rows are rows of a tensor that are read: all of them, or some that are spread evenly.
type Rows struct {
	File   *gguf.File
	Tensor *gguf.Tensor
	N      int // rows that are read
	Of     int // rows there are
}

// Spread chooses as many rows as have about so many elements, one at least; 0 is all.
func Spread(f *gguf.File, t *gguf.Tensor, elements int) Rows {
	r := Rows{File: f, Tensor: t}
	if t.Elements() == 0 {
		return r
	}
	r.Of = t.Elements() / t.Dim(0)
	r.N = r.Of
	if elements > 0 {
		r.N = max(1, min(r.Of, elements/t.Dim(0)))
	}
	return r
}

// Row is the number of the i-th row that is read.
func (r Rows) Row(i int) int { return int(int64(i) * int64(r.Of) / int64(r.N)) }

// Blocks hands the rows to do, some whole blocks at a time: their row and the first of their columns. blocks is gone after
// do.
func (r Rows) Blocks(ctx context.Context, do func(row, column int, blocks []byte)) error {
	typ, size := r.Tensor.Type, 0
	if r.N > 0 {
		size = typ.RowBytes(r.Tensor.Dim(0))
	}
	step := max(1, pieceElements/typ.BlockSize()) * typ.BlockBytes()
	buf := make([]byte, min(step, size))
	for i := range r.N {
		row := r.Row(i)
		for at := 0; at < size; at += len(buf) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			blocks := buf[:min(len(buf), size-at)]
			if err := r.File.ReadTensor(r.Tensor, blocks, int64(row)*int64(size)+int64(at)); err != nil {
				return err
			}
			do(row, at/typ.BlockBytes()*typ.BlockSize(), blocks)
		}
	}
	return nil
}

// Values is Blocks with the values of the blocks, which are gone after do, too.
func (r Rows) Values(ctx context.Context, do func(row, column int, values []float32)) error {
	var buf []float32
	return r.Blocks(ctx, func(row, column int, blocks []byte) {
		buf = Decode(r.Tensor.Type, blocks, buf)
		do(row, column, buf)
	})
}

// Decode returns the values of whole blocks, in buf where it is large enough.
func Decode(t quant.Type, blocks []byte, buf []float32) []float32 {
	n := len(blocks) / t.BlockBytes() * t.BlockSize()
	if cap(buf) < n {
		buf = make([]float32, n)
	}
	quant.Decode(t, buf[:n], blocks)
	return buf[:n]
}

// Distribution says how the values of the rows are distributed.
func (r Rows) Distribution(ctx context.Context) (*Distribution, error) {
	d := &Distribution{}
	if err := r.Values(ctx, func(_, _ int, values []float32) { d.Add(values) }); err != nil {
		return nil, err
	}
	d.Finish()
	return d, r.Values(ctx, func(_, _ int, values []float32) { d.Sort(values) })
}

// Difference compares the rows with the same ones of a tensor of the same shape.
func (r Rows) Difference(ctx context.Context, f *gguf.File, t *gguf.Tensor) (*Difference, error) {
	d := NewDifference()
	var raw []byte
	var buf []float32
	var failed error
	err := r.Values(ctx, func(row, column int, values []float32) { // a piece is whole blocks of every type
		if failed != nil {
			return
		}
		raw = slices.Grow(raw[:0], t.Type.RowBytes(len(values)))[:t.Type.RowBytes(len(values))]
		at := int64(row)*int64(t.Type.RowBytes(t.Dim(0))) + int64(t.Type.RowBytes(column))
		if failed = f.ReadTensor(t, raw, at); failed == nil {
			buf = Decode(t.Type, raw, buf)
			d.Add(values, buf)
		}
	})
	if err == nil {
		err = failed
	}
	return d, err
}
