package hf

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/formats/safetensors"
)

// Write makes the file. It appears under its name when it is complete; until then, and after an error or when ctx ends, there
// is no such file, or the one that was there before. progress is told the bytes written of each piece; it may be nil.
// Weights that are not numbers, or that the output type cannot hold, are written as they are and said in Notes.
func (c *Conversion) Write(ctx context.Context, path string, progress func(bytes int)) error {
	out, err := gguf.Create(path, c.Metadata, c.Tensors)
	if err != nil {
		return err
	}
	defer out.Abort() // without effect after Commit
	for i := range c.planned {
		s := &stream{c: c, x: &c.planned[i], t: c.Tensors[i].Type, w: out, wrote: func(n int) error {
			if progress != nil {
				progress(n)
			}
			return ctx.Err()
		}}
		if err := s.run(); err != nil {
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

// chunkValues is about how many values are encoded at once.
const chunkValues = 1 << 18

// stream writes one tensor in chunks of some rows. wrote is called after each; its error ends the work.
type stream struct {
	c     *Conversion
	x     *planned
	t     quant.Type
	w     io.Writer
	wrote func(n int) error

	values []float32
	data   []byte
	odd    int // values that are no numbers, before and after encoding
	lost   int // finite values that became infinite
}

func (s *stream) run() error {
	if s.x.values != nil {
		s.values = s.x.values
		return s.encode(len(s.values), 1)
	}
	for _, part := range s.x.parts {
		if err := s.part(part); err != nil {
			return fmt.Errorf("tensor %q: %w", part.Name, err)
		}
	}
	if s.odd > 0 {
		s.c.note("%s: %d values are not finite numbers, they are written as they are", s.x.name, s.odd)
	}
	if s.lost > 0 {
		s.c.note("%s: %d values are too large for %v and became infinite; bf16 or f32 hold them", s.x.name, s.lost, s.t)
	}
	return nil
}

// part writes one tensor of the checkpoint, or the half of its rows that is wanted.
func (s *stream) part(src *safetensors.Tensor) error {
	width := 1 // of a vector, so that a bias can be reordered too
	if len(src.Shape) > 1 {
		width = src.Shape[len(src.Shape)-1]
	}
	if src.Elements() == 0 {
		return fmt.Errorf("it is empty, shape %v", src.Shape)
	}
	all := src.Elements() / width
	from, rows, err := s.x.rowOrder(all)
	if err != nil {
		return err
	}
	step := max(1, chunkValues/width)
	if len(src.Shape) < 2 {
		step = rows
	}
	data := s.c.source.Bytes(src)
	size := len(data) / all
	s.values = make([]float32, min(step, rows)*width)
	for row := 0; row < rows; row += step {
		n := min(step, rows-row)
		for i := range n {
			at := from(row + i)
			if err := src.DType.Decode(s.values[i*width:(i+1)*width], data[at*size:(at+1)*size]); err != nil {
				return err
			}
		}
		s.values = s.values[:n*width]
		if err := s.encode(s.x.shape[0], n*width/s.x.shape[0]); err != nil {
			return err
		}
	}
	return nil
}

// encode writes rows of s.values, and counts what the type cannot hold.
func (s *stream) encode(width, rows int) error {
	if add := s.x.rule.add; add != 0 {
		for i := range s.values {
			s.values[i] += add
		}
	}
	for _, v := range s.values {
		if v-v != 0 { // NaN and infinities
			s.odd++
		} else if s.t == quant.F16 && (v >= f16Overflow || v <= -f16Overflow) {
			s.lost++
		}
	}
	size := rows * s.t.RowBytes(width)
	if cap(s.data) < size {
		s.data = make([]byte, size)
	}
	s.data = s.data[:size]
	if err := quant.Encode(s.t, s.data, s.values); err != nil {
		return err
	}
	if _, err := s.w.Write(s.data); err != nil {
		return err
	}
	return s.wrote(size)
}

// f16Overflow is the smallest value that rounds to infinity in half precision.
var f16Overflow = float32(math.Ldexp(2-math.Ldexp(1, -11), 15))

// rowOrder says which of a tensor's rows is row i of the result, which has n rows.
//
// In a head of the transformers library the first half of the rows are the first members of the rotary pairs, and the second
// half the others; GGUF has pairs side by side.
func (p *planned) rowOrder(all int) (from func(i int) int, n int, err error) {
	switch {
	case p.half > 0:
		rows := p.shape[1] // of a matrix
		return func(i int) int { return (2*(i/rows)+p.half-1)*rows + i%rows }, all / 2, nil
	case p.rule.heads == nil:
		return func(i int) int { return i }, all, nil
	case p.heads < 1 || all%(2*p.heads) != 0:
		return nil, 0, fmt.Errorf("%d rows cannot be cut into %d heads of pairs", all, p.heads)
	}
	dim := all / p.heads
	return func(i int) int {
		head, in := i/dim, i%dim
		return head*dim + in%2*(dim/2) + in/2
	}, all, nil
}
