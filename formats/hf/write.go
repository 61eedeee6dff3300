package hf

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/llamakit/llamakit/formats/internal/mmap"
	"github.com/llamakit/llamakit/formats/quant"
)

// Write makes the file. It appears under its name when it is complete; until then, and after an error or when ctx ends, there
// is no such file, or the one that was there before. progress is told the bytes written of each piece; it may be nil.
// Weights that are not numbers, or that the output type cannot hold, are written as they are and said in Notes.
func (c *Conversion) Write(ctx context.Context, path string, progress func(bytes int)) error {
	return c.WriteSet(ctx, []string{path}, []int{len(c.Tensors)}, progress)
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
		n += t.Bytes()
	}
	return n
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

// part writes what is wanted of one tensor of the checkpoint.
func (s *stream) part(src *tensor) error {
	v := &s.x.view
	if v.matrices*v.rows*v.width == 0 {
		return fmt.Errorf("it is empty, shape %v", src.Shape)
	}
	if src.data != nil {
		defer mmap.Release(src.data)
	}
	if s.x.rule.whole {
		return s.integers(src)
	}
	if src.packed != nil && s.t == src.packed.kind {
		return s.copyBlocks(src)
	}
	for m := range v.matrices {
		if err := s.matrix(src, m); err != nil {
			return err
		}
	}
	return nil
}

// matrix writes some rows at a time.
func (s *stream) matrix(src *tensor, m int) error {
	v, r := &s.x.view, s.x.rule
	total := v.picked()
	step := max(1, chunkValues/v.width)
	if r.flip || s.x.shape[0] != v.width { // a row of the result is made of all rows
		step = total
	}
	for row := 0; row < total; row += step {
		n := min(step, total-row)
		if err := s.read(src, m, row, n); err != nil {
			return err
		}
		if r.flip {
			s.values = flipped(s.values, n, len(s.values)/n)
		}
		if err := s.encode(s.x.shape[0], len(s.values)/s.x.shape[0]); err != nil {
			return err
		}
	}
	return nil
}

// encode writes rows of s.values, and counts what the type cannot hold.
func (s *stream) encode(width, rows int) error {
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

// refuseInput is an error when path is a file that the conversion reads, under this name or another.
func (f *Folder) refuseInput(path string) error {
	out, err := os.Stat(path)
	if err != nil {
		return nil // a new file
	}
	var inputs []string
	for _, name := range append([]string{"config.json", "model.safetensors.index.json"}, SmallFiles...) {
		inputs = append(inputs, filepath.Join(f.Path, name))
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
