package hf

import (
	"encoding/binary"
	"fmt"

	"github.com/llamakit/llamakit/formats/safetensors"
)

// tensor is a tensor of the checkpoint, or what several of them hold in packed form.
type tensor struct {
	Name  string
	Shape []int
	DType safetensors.DType // "" for packed ones
	data  []byte            // mapped; nil for packed ones

	// decode writes the values from that index on, in the order of Shape.
	decode func(dst []float32, from int) error
	packed *blocks // when the values are blocks that GGUF has too
}

// plain is a tensor that is stored as numbers.
func plain(f checkpoint, x *safetensors.Tensor) *tensor {
	data, size := f.Bytes(x), x.DType.Bits()/8
	return &tensor{Name: x.Name, Shape: x.Shape, DType: x.DType, data: data, decode: func(dst []float32, from int) error {
		return x.DType.Decode(dst, data[from*size:(from+len(dst))*size])
	}}
}

// wholes appends all values of a tensor of integers as i32.
func (t *tensor) wholes(dst []byte) ([]byte, error) {
	size := t.DType.Bits() / 8
	if t.DType != safetensors.I32 && t.DType != safetensors.I64 {
		return nil, fmt.Errorf("it holds %s, want integers of 32 or 64 bits", t.DType)
	}
	for i := 0; i < len(t.data); i += size {
		n := int64(int32(binary.LittleEndian.Uint32(t.data[i:])))
		if size == 8 {
			n = int64(binary.LittleEndian.Uint64(t.data[i:]))
		}
		if n != int64(int32(n)) {
			return nil, fmt.Errorf("value %d does not fit in 32 bits", n)
		}
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	return dst, nil
}

// unpacked lists the tensors of the checkpoint. Those that quantisation made of one stand as one.
func (f *Folder) unpacked() ([]*tensor, error) {
	all := f.tensors.Tensors()
	out := make([]*tensor, len(all))
	for i := range all {
		out[i] = plain(f.tensors, &all[i])
	}
	return f.Config.unpack(out)
}

// integers writes a tensor of integers.
func (s *stream) integers(src *tensor) error {
	var err error
	if s.data, err = src.wholes(s.data[:0]); err != nil {
		return err
	}
	if _, err := s.w.Write(s.data); err != nil {
		return err
	}
	return s.wrote(len(s.data))
}
