package safetensors

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/llamakit/llamakit/formats/internal/fault"
	"github.com/llamakit/llamakit/formats/internal/mmap"
)

// File is an open model: one file or several. It does not change after Open, so it can be used by several goroutines at
// once; Close comes after all of them.
type File struct {
	parts    []*part
	tensors  []Tensor
	byName   map[string]int
	metadata map[string]string
}

// Tensor is the entry of a tensor.
type Tensor struct {
	Name   string
	DType  DType
	Shape  []int // as stored: the slowest dimension first, rows last; empty for a single number
	Offset int64 // of the data, from the beginning of its file
	Size   int64 // bytes of data
	Part   int   // index into Paths of its file

	// SharesWith names the tensor that has the same bytes of the same file, type and shape: the first one of them in
	// Tensors. It is empty for that one, and for tensors that share nothing.
	SharesWith string

	entry int // byte of its entry in the header, for errors
}

// Elements returns the number of elements, the product of the shape.
func (t *Tensor) Elements() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Open maps a model: a .safetensors file, an index (model.safetensors.index.json) with all files that it names, or a
// folder. In a folder it takes the index, else model.safetensors, else the files `model*.safetensors`, else the only
// .safetensors file.
func Open(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fault.OS(ErrNotFound, path, err)
	}
	switch {
	case info.IsDir():
		return openFolder(path)
	case isIndex(path):
		return openIndex(path)
	}
	return openParts([]string{path})
}

// Parse reads one file that is in memory; name is for errors. The File refers to data, which must not change.
func Parse(name string, data []byte) (*File, error) {
	p, err := parsePart(name, data)
	if err != nil {
		return nil, err
	}
	return join([]*part{p})
}

// openParts maps all files of a model.
func openParts(paths []string) (*File, error) {
	var parts []*part
	for _, path := range paths {
		p, err := openPart(path)
		if err != nil {
			for _, p := range parts {
				p.close()
			}
			return nil, err
		}
		parts = append(parts, p)
	}
	return join(parts)
}

func openPart(path string) (*part, error) {
	m, err := mmap.Open(path)
	if err != nil {
		return nil, fault.OS(ErrNotFound, path, err)
	}
	p, err := parsePart(path, m.Data)
	if err != nil {
		m.Close()
		return nil, err
	}
	p.close = m.Close
	return p, nil
}

// join makes one list of the tensors of all parts; it closes them when it fails.
func join(parts []*part) (*File, error) {
	f := &File{parts: parts, byName: map[string]int{}, metadata: map[string]string{}}
	for i, p := range parts {
		for key, text := range p.metadata {
			if _, ok := f.metadata[key]; !ok {
				f.metadata[key] = text
			}
		}
		for _, t := range p.tensors {
			t.Part = i
			if err := f.add(t); err != nil {
				f.Close()
				return nil, err
			}
		}
		p.tensors = nil
	}
	return f, nil
}

// add lists a tensor. One that another part holds too is dropped if both are equal.
func (f *File) add(t Tensor) error {
	i, twice := f.byName[t.Name]
	if !twice {
		f.byName[t.Name] = len(f.tensors)
		f.tensors = append(f.tensors, t)
		return nil
	}
	first := &f.tensors[i]
	difference := ""
	switch {
	case t.DType != first.DType || !slices.Equal(t.Shape, first.Shape):
		difference = fmt.Sprintf("%v %v here, %v %v there", t.DType, t.Shape, first.DType, first.Shape)
	case !bytes.Equal(f.Bytes(&t), f.Bytes(first)):
		difference = "with other data"
	default:
		return nil
	}
	return fault.At(ErrCorrupt, f.parts[t.Part].name, int64(t.entry), "tensor %s is also in %s, %s (one of them must go)",
		quote(t.Name), printable(f.parts[first.Part].name), difference)
}

// Tensors returns all tensors: file by file, in the order of their data. The list must not be changed.
func (f *File) Tensors() []Tensor { return f.tensors }

// Tensor returns the tensor of that name.
func (f *File) Tensor(name string) (*Tensor, bool) {
	i, ok := f.byName[name]
	if !ok {
		return nil, false
	}
	return &f.tensors[i], true
}

// Bytes returns the data of a tensor of this file: t.Size bytes of the mapping, valid until Close. It panics after Close.
func (f *File) Bytes(t *Tensor) []byte {
	end := t.Offset + t.Size
	if t.Size == 0 {
		return nil
	}
	return f.parts[t.Part].data[t.Offset:end:end]
}

// Floats converts the elements of a tensor to float32, as [DType.Decode] does. It panics if dst does not have
// t.Elements() elements.
func (f *File) Floats(t *Tensor, dst []float32) error {
	if len(dst) != t.Elements() {
		panic(fmt.Sprintf("safetensors: %d float32 for the %d elements of shape %v", len(dst), t.Elements(), t.Shape))
	}
	if t.Size == 0 {
		return nil
	}
	if err := t.DType.Decode(dst, f.Bytes(t)); err != nil {
		return fault.At(ErrUnsupported, f.parts[t.Part].name, int64(t.entry), "tensor %s: %v", quote(t.Name), err)
	}
	return nil
}

// Metadata returns the texts under __metadata__; where several files have the same key, those of the first. The map must
// not be changed.
func (f *File) Metadata() map[string]string { return f.metadata }

// Paths returns the files that were opened, in the order of Tensor.Part.
func (f *File) Paths() []string {
	paths := make([]string, len(f.parts))
	for i, p := range f.parts {
		paths[i] = p.name
	}
	return paths
}

// Close ends the mapping. Tensors stays valid, what Bytes returned does not. A second call does nothing.
func (f *File) Close() error {
	var errs []error
	for _, p := range f.parts {
		if err := p.close(); err != nil {
			errs = append(errs, fault.OS(nil, p.name, err))
		}
		p.data, p.close = nil, func() error { return nil }
	}
	return errors.Join(errs...)
}
