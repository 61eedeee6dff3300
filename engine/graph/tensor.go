package graph

import (
	"fmt"

	"github.com/llamakit/llamakit/formats/quant"
)

// Tensor is an intermediate value: a row of Width float32 values a token.
//
// Views share the memory of their base; Offset is the first column there.
type Tensor struct {
	Name    string // llama.cpp's name with the layer, for example "Qcur-3"; "" when nobody asks for it
	Width   int
	Outputs bool // has rows only for the tokens whose logits are wanted

	Base   *Tensor // nil: owns its memory
	Offset int

	id int
}

// Root is the tensor that owns the memory of t.
func (t *Tensor) Root() *Tensor {
	if t.Base != nil {
		return t.Base
	}
	return t
}

// Stride is how far apart rows are, in values: whole cache lines, and an odd number of them, so that the same columns of many rows do not
// meet in the same places of a cache.
func (t *Tensor) Stride() int { return (t.Root().Width+15)/16*16 | 16 }

// ID counts the tensors of a graph in order of creation.
func (t *Tensor) ID() int { return t.id }

// Weight is a matrix of the model file: Out rows of In values in blocks of Type; Experts of them one after another.
type Weight struct {
	Name    string
	Type    quant.Type
	In, Out int
	Experts int    // 1 for an ordinary matrix
	Stride  int    // rows from an expert's first to the next one's; 0: Out. It is more where matrices are fused.
	Data    []byte // mapped memory of the file, never written
}

// Row returns the bytes of row n of the first (or only) expert.
func (w *Weight) Row(n int) []byte { return w.Rows(n, n+1) }

// Rows returns the bytes of the rows [from, to). Rows are counted on through the experts.
func (w *Weight) Rows(from, to int) []byte {
	size := w.Type.RowBytes(w.In)
	return w.Data[from*size : to*size]
}

// ExpertRow returns the number of the first row of expert e.
func (w *Weight) ExpertRow(e int) int {
	if w.Stride > 0 {
		return e * w.Stride
	}
	return e * w.Out
}

// Part is the matrix of the rows [from, from+n), of every expert where there are several. Nothing is copied.
func (w *Weight) Part(from, n int) *Weight {
	part := *w
	part.Out, part.Stride = n, max(w.Stride, w.Out)
	if w.Data != nil {
		part.Data = w.Rows(from, w.ExpertRow(w.Experts-1)+from+n)
	}
	return &part
}

// Linear is a matrix with what the file stores beside it: a bias of one value a row and a scale. Scale has one value for
// the whole matrix, or one an expert.
type Linear struct {
	W     *Weight
	Bias  []float32
	Scale []float32
	// ScaleBias makes it (W·x + bias)·scale, as in feed-forward blocks, instead of (W·x)·scale + bias.
	ScaleBias bool
}

func (t *Tensor) String() string {
	name := t.Name
	if name == "" {
		name = fmt.Sprintf("#%d", t.id)
	}
	return fmt.Sprintf("%s[%d]", name, t.Width)
}
