package hf

import (
	"context"
	"fmt"
	"io"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/formats/safetensors"
)

// Write makes the file. It appears under its name when it is complete; until then, and after an error or when ctx ends, there
// is no such file, or the one that was there before. progress is told the bytes written of each piece; it may be nil.
func (c *Conversion) Write(ctx context.Context, path string, progress func(bytes int)) error {
	out, err := gguf.Create(path, c.Metadata, c.Tensors)
	if err != nil {
		return err
	}
	defer out.Abort() // without effect after Commit
	for i := range c.planned {
		err := c.stream(out, &c.planned[i], c.Tensors[i].Type, func(n int) error {
			if progress != nil {
				progress(n)
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	return out.Commit()
}

// Bytes is the size of the tensors' data.
func (c *Conversion) Bytes() int64 {
	n := int64(0)
	for _, t := range c.Tensors {
		n += bytesOf(t.Type, t.Shape)
	}
	return n
}

func bytesOf(t quant.Type, shape []int) int64 {
	rows := int64(1)
	for _, d := range shape[1:] {
		rows *= int64(d)
	}
	return rows * int64(t.RowBytes(shape[0]))
}

// chunkBytes is about how much is encoded at once.
const chunkBytes = 1 << 20

// stream writes one tensor in pieces of some rows. wrote is called after each; its error ends the work.
func (c *Conversion) stream(w io.Writer, x *planned, t quant.Type, wrote func(n int) error) error {
	if x.values != nil {
		return encodeRows(w, t, x.values, len(x.values), wrote)
	}
	for i := range len(x.parts) {
		if err := c.streamPart(w, x, x.parts[i], t, wrote); err != nil {
			return err
		}
	}
	return nil
}

func (c *Conversion) streamPart(w io.Writer, x *planned, src *safetensors.Tensor, t quant.Type, wrote func(n int) error) error {
	width := src.Shape[len(src.Shape)-1]
	if src.Elements() == 0 {
		return fmt.Errorf("tensor %q is empty", src.Name)
	}
	rows := src.Elements() / width
	if len(src.Shape) == 1 {
		width, rows = 1, src.Elements() // so that a bias can be reordered too
	}
	from, err := c.rowOrder(x, src, rows)
	if err != nil {
		return err
	}
	data := c.source.Bytes(src)
	size := len(data) / rows
	step := max(1, chunkBytes/(4*width))
	if len(src.Shape) == 1 {
		step = rows
	}
	values := make([]float32, step*width)
	for row := 0; row < rows; row += step {
		n := min(step, rows-row)
		for i := range n {
			at := from(row + i)
			if err := src.DType.Decode(values[i*width:(i+1)*width], data[at*size:(at+1)*size]); err != nil {
				return fmt.Errorf("tensor %q: %w", src.Name, err)
			}
		}
		for i := range values[:n*width] {
			values[i] += x.rule.add
		}
		if err := encodeRows(w, t, values[:n*width], x.shape[0], wrote); err != nil {
			return fmt.Errorf("tensor %q: %w", src.Name, err)
		}
	}
	return nil
}

// encodeRows writes whole rows of width values.
func encodeRows(w io.Writer, t quant.Type, values []float32, width int, wrote func(n int) error) error {
	data := make([]byte, len(values)/width*t.RowBytes(width))
	if err := quant.Encode(t, data, values); err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	return wrote(len(data))
}

// rowOrder says which row of the checkpoint is row i of the result. In a head of the transformers library the first half of
// the rows are the first members of the rotary pairs, and the second half the others.
func (c *Conversion) rowOrder(x *planned, src *safetensors.Tensor, rows int) (func(i int) int, error) {
	if x.rule.heads == nil {
		return func(i int) int { return i }, nil
	}
	heads := x.rule.headCount
	if heads < 1 || rows%(2*heads) != 0 {
		return nil, fmt.Errorf("tensor %q: %d rows cannot be cut into %d heads of pairs", src.Name, rows, heads)
	}
	dim := rows / heads
	return func(i int) int {
		head, in := i/dim, i%dim
		return head*dim + in%2*(dim/2) + in/2
	}, nil
}
