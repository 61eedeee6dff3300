package hf

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/internal/mmap"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/formats/safetensors"
)

// Write makes the file. It appears under its name when it is complete; until then, and after an error or when ctx ends, there
// is no such file, or the one that was there before. progress is told the bytes written of each piece; it may be nil.
// Weights that are not numbers, or that the output type cannot hold, are written as they are and said in Notes.
func (c *Conversion) Write(ctx context.Context, path string, progress func(bytes int)) error {
	if err := c.folder.refuseInput(path); err != nil {
		return err
	}
	out, err := gguf.Create(path, c.Metadata, c.Tensors)
	if err != nil {
		return err
	}
	defer out.Abort() // without effect after Commit
	s := &stream{c: c, w: out, wrote: func(n int) error {
		if progress != nil {
			progress(n)
		}
		return ctx.Err()
	}}
	for i := range c.planned {
		if err := s.tensor(&c.planned[i], c.Tensors[i].Type); err != nil {
			return err
		}
	}
	s.odd.note(c, "not finite numbers, and are written as they are")
	s.lost.note(c, "too large for f16 and became infinite; bf16 or f32 hold them")
	return out.Commit()
}

// tally counts values that a person should know of, and where the first are.
type tally struct {
	values, tensors int
	first, last     string
}

func (t *tally) add(tensor string) {
	if t.last != tensor {
		t.tensors++
		t.last = tensor
	}
	if t.first == "" {
		t.first = tensor
	}
	t.values++
}

func (t *tally) note(c *Conversion, what string) {
	if t.values > 0 {
		c.note("%d values of %d tensors, the first of %s, are %s", t.values, t.tensors, t.first, what)
	}
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

// stream writes tensors in chunks of some rows. wrote is called after each; its error ends the work.
type stream struct {
	c     *Conversion
	w     io.Writer
	wrote func(n int) error

	x      *planned // the tensor at hand
	t      quant.Type
	values []float32
	data   []byte
	odd    tally // values that are no numbers, before and after encoding
	lost   tally // finite values that became infinite
}

func (s *stream) tensor(x *planned, t quant.Type) error {
	s.x, s.t = x, t
	if x.values != nil {
		s.values = append(s.values[:0], x.values...)
		return s.encode(len(s.values), 1)
	}
	for _, part := range x.parts {
		if err := s.part(part); err != nil {
			return fmt.Errorf("tensor %q: %w", part.Name, err)
		}
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
	defer mmap.Release(data)
	size := len(data) / all
	if n := min(step, rows) * width; cap(s.values) < n {
		s.values = make([]float32, n)
	}
	for row := 0; row < rows; row += step {
		n := min(step, rows-row)
		s.values = s.values[:n*width]
		for i := range n {
			at := from(row + i)
			if err := src.DType.Decode(s.values[i*width:(i+1)*width], data[at*size:(at+1)*size]); err != nil {
				return err
			}
		}
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
			s.odd.add(s.x.name)
		} else if s.t == quant.F16 && (v >= f16Overflow || v <= -f16Overflow) {
			s.lost.add(s.x.name)
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

// refuseInput is an error when path is a file that the conversion reads, under this name or another.
func (f *Folder) refuseInput(path string) error {
	out, err := os.Stat(path)
	if err != nil {
		return nil // a new file
	}
	inputs := []string{"config.json", "generation_config.json", "tokenizer.json", "tokenizer.model", "tokenizer_config.json", "added_tokens.json",
		"special_tokens_map.json", "chat_template.jinja", "model.safetensors.index.json", "README.md"}
	for i, name := range inputs {
		inputs[i] = filepath.Join(f.Path, name)
	}
	if f.tensors != nil {
		inputs = append(inputs, f.tensors.Paths()...)
	}
	for _, in := range inputs {
		if info, err := os.Stat(in); err == nil && os.SameFile(info, out) {
			return fmt.Errorf("%s is read by the conversion; write to another file", path)
		}
	}
	return nil
}
