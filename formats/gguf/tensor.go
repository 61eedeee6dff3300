package gguf

import (
	"fmt"
	"math"
	"slices"

	"github.com/llamakit/llamakit/formats/quant"
)

// Limits of names and shapes, as in llama.cpp.
const (
	maxDims       = 4
	maxTensorName = 63
)

// Tensor is the entry of a tensor in a file.
type Tensor struct {
	Name   string
	Type   quant.Type
	Shape  []int // 1 to 4 dimensions, ne[0] (the fastest, the length of a row) first
	Offset int64 // of the data, from the beginning of its shard
	Size   int64 // bytes of data
	Shard  int   // 0 in a file that is not split

	entry int // byte of its entry in the shard, for errors
}

// TensorInfo is what a writer must know of a tensor before its data.
type TensorInfo struct {
	Name  string
	Type  quant.Type
	Shape []int // 1 to 4 dimensions, ne[0] first
}

// Bytes is the size of the tensor's data; 0 for a type and a shape that do not fit each other.
func (t TensorInfo) Bytes() int64 {
	n, _ := dataSize(t.Type, t.Shape)
	return n
}

// Info returns the part of the entry that does not depend on the file.
func (t *Tensor) Info() TensorInfo { return TensorInfo{t.Name, t.Type, slices.Clone(t.Shape)} }

// Elements returns the number of elements, the product of the shape.
func (t *Tensor) Elements() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Dim returns dimension i, which is 1 beyond the end of the shape.
func (t *Tensor) Dim(i int) int {
	if i >= len(t.Shape) {
		return 1
	}
	return t.Shape[i]
}

// badTensor is why a type and a shape cannot be.
type badTensor struct {
	kind error
	fact string
}

// dataSize returns the bytes of a tensor's data, which are below 2^63 and hold less than 2^63 elements.
func dataSize(t quant.Type, shape []int) (int64, *badTensor) {
	if !t.Valid() {
		return 0, badType(t)
	}
	if shape[0]%t.BlockSize() != 0 {
		return 0, &badTensor{ErrCorrupt, fmt.Sprintf("shape %v: rows of %d are not whole blocks of %d, which %v has", shape, shape[0], t.BlockSize(), t)}
	}
	elements, empty := int64(1), false
	for _, d := range shape {
		if d < 0 || int64(max(d, 1)) > math.MaxInt64/elements {
			return 0, &badTensor{ErrCorrupt, fmt.Sprintf("shape %v has more than 2^63-1 elements", shape)}
		}
		elements *= int64(max(d, 1))
		empty = empty || d == 0
	}
	if empty {
		return 0, nil
	}
	blocks := (elements-1)/int64(t.BlockSize()) + 1
	if blocks > math.MaxInt64/int64(t.BlockBytes()) {
		return 0, &badTensor{ErrCorrupt, fmt.Sprintf("shape %v of %v has more than 2^63-1 bytes", shape, t)}
	}
	return blocks * int64(t.BlockBytes()), nil
}

func badType(t quant.Type) *badTensor {
	if t.Removed() {
		return &badTensor{ErrUnsupported, fmt.Sprintf("type %d (%v) was removed from llama.cpp in 2023 or 2024; quantize the model again", uint32(t), t)}
	}
	return &badTensor{ErrUnsupported, fmt.Sprintf("type %d is not known; it may be newer than this program", uint32(t))}
}

// checkName refuses names that llama.cpp cannot hold.
func checkName(name string) *badTensor {
	if len(name) <= maxTensorName {
		return nil
	}
	return &badTensor{ErrUnsupported, fmt.Sprintf("a name of %d bytes is longer than the limit of %d", len(name), maxTensorName)}
}
