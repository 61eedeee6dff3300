package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/mixture"
	"github.com/llamakit/llamakit/formats/quant"
)

// Types says which type each tensor of a model gets.
type Types func(md *gguf.Metadata, tensors []gguf.TensorInfo) error

// AllOf gives matrices the type t. Vectors, routers and rows that are no whole blocks of it are F32, as converters write them.
func AllOf(t quant.Type) Types {
	return func(_ *gguf.Metadata, tensors []gguf.TensorInfo) error {
		for i := range tensors {
			x := &tensors[i]
			x.Type = t
			if len(x.Shape) == 1 || strings.HasSuffix(x.Name, "ffn_gate_inp.weight") || x.Shape[0]%t.BlockSize() != 0 {
				x.Type = quant.F32
			}
		}
		return nil
	}
}

// MixedAs gives matrices what llama-quantize would give them in a file of that type.
func MixedAs(file mixture.FileType) Types {
	return func(md *gguf.Metadata, tensors []gguf.TensorInfo) error {
		md.Set("general.file_type", gguf.Uint32(uint32(file.Number)))
		md.Set("general.quantization_version", gguf.Uint32(2))
		names := make([]string, len(tensors))
		for i, t := range tensors {
			names[i] = t.Name
		}
		m, err := mixture.New(md, names, file, mixture.Options{})
		if err != nil {
			return err
		}
		for i := range tensors {
			if tensors[i].Type, err = mixed(m, file, &tensors[i]); err != nil {
				return err
			}
		}
		return nil
	}
}

func mixed(m *mixture.Mixture, file mixture.FileType, x *gguf.TensorInfo) (t quant.Type, err error) {
	if !mixture.IsMatrix(m.Arch, x.Name, len(x.Shape)) {
		return quant.F32, nil
	}
	t = file.Base
	if t.BlockSize() > 1 {
		if t, err = m.Choose(x.Name, x.Shape); err != nil {
			return t, err
		}
	}
	return mixture.Fallback(t, x.Shape[0])
}

// ParseTypes reads the name of a file type (q4_k_m, mxfp4_moe), or else of a tensor type (q4_k) for all matrices. With pure, a
// file type is its base type for all matrices.
func ParseTypes(name string, pure bool) (Types, error) {
	file, ok := mixture.ParseFileType(name)
	switch {
	case ok && file.Name != mixture.Copy && pure:
		return AllOf(file.Base), nil
	case ok && file.Name != mixture.Copy:
		return MixedAs(file), nil
	}
	t, err := quant.ParseType(name)
	if err == nil && t.CanEncode() {
		return AllOf(t), nil
	}
	var names []string
	for _, f := range mixture.FileTypes {
		if f.Name != mixture.Copy {
			names = append(names, strings.ToLower(f.Name))
		}
	}
	return nil, fmt.Errorf("type %q: unknown; use one of %s", name, strings.Join(slices.Compact(names), " "))
}
