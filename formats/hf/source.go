package hf

import "github.com/llamakit/llamakit/formats/safetensors"

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
func plain(f *safetensors.File, x *safetensors.Tensor) *tensor {
	data, size := f.Bytes(x), x.DType.Bits()/8
	return &tensor{Name: x.Name, Shape: x.Shape, DType: x.DType, data: data, decode: func(dst []float32, from int) error {
		return x.DType.Decode(dst, data[from*size:(from+len(dst))*size])
	}}
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
