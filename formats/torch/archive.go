package torch

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"path"
	"strings"

	"github.com/llamakit/llamakit/formats/internal/escape"
	"github.com/llamakit/llamakit/formats/safetensors"
)

// maxPickle bounds the list of tensors; the bytes of tensors are elsewhere.
const maxPickle = 1 << 28

// storages are the types of bytes that a pickle names.
var storages = map[string]safetensors.DType{"DoubleStorage": safetensors.F64, "FloatStorage": safetensors.F32, "HalfStorage": safetensors.F16, "BFloat16Storage": safetensors.BF16,
	"LongStorage": safetensors.I64, "IntStorage": safetensors.I32, "ShortStorage": safetensors.I16, "CharStorage": safetensors.I8, "ByteStorage": safetensors.U8, "BoolStorage": safetensors.BOOL}

// archive is one zip file of a checkpoint: everything in it lies below one folder.
type archive struct {
	data  []byte
	files map[string]*zip.File // by the name below the folder
}

// parse lists the tensors of a file, and their bytes.
func parse(data []byte) ([]safetensors.Tensor, [][]byte, error) {
	if !bytes.HasPrefix(data, []byte("PK")) {
		return nil, nil, fmt.Errorf("%w: not an archive of PyTorch 1.6 or later; load it there and save it again, best as safetensors", ErrUnsupported)
	}
	a, err := open(data)
	if err != nil {
		return nil, nil, err
	}
	pickle, err := a.read("data.pkl")
	if err != nil {
		return nil, nil, err
	}
	if len(pickle) > maxPickle {
		return nil, nil, fmt.Errorf("%w: data.pkl has %d bytes, want at most %d", ErrUnsupported, len(pickle), maxPickle)
	}
	if order, err := a.read("byteorder"); err == nil && string(order) != "little" {
		return nil, nil, fmt.Errorf("%w byte order %s", ErrUnsupported, escape.Quote(string(order), 20))
	}
	top, err := unpickle(pickle)
	if err != nil {
		return nil, nil, fmt.Errorf("data.pkl: %w", err)
	}
	return a.tensors(top)
}

func open(data []byte) (*archive, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w (interrupted download?)", ErrCorrupt, err)
	}
	a := &archive{data: data, files: map[string]*zip.File{}}
	for _, f := range z.File {
		if _, name, ok := strings.Cut(f.Name, "/"); ok {
			a.files[name] = f
		}
	}
	return a, nil
}

// read returns the bytes of a file of the archive, which are stored as they are.
func (a *archive) read(name string) ([]byte, error) {
	f := a.files[name]
	if f == nil {
		return nil, fmt.Errorf("%w: the archive has no %s", ErrCorrupt, escape.Quote(name, 80))
	}
	begin, err := f.DataOffset()
	switch size := int64(f.UncompressedSize64); {
	case err != nil:
		return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, escape.Quote(name, 80), err)
	case f.Method != zip.Store:
		return nil, fmt.Errorf("%w: %s is compressed, which PyTorch does not do", ErrUnsupported, escape.Quote(name, 80))
	case size < 0 || begin < 0 || size > int64(len(a.data))-begin:
		return nil, fmt.Errorf("%w: %s goes beyond the end of the file", ErrCorrupt, escape.Quote(name, 80))
	default:
		return a.data[begin : begin+size], nil
	}
}

// tensors lists those of a dictionary.
func (a *archive) tensors(top any) (list []safetensors.Tensor, data [][]byte, err error) {
	d, ok := top.(*dict)
	if !ok {
		return nil, nil, fmt.Errorf("%w: data.pkl holds %s, want a dictionary of tensors", ErrUnsupported, kind(top))
	}
	for _, name := range d.keys {
		r, ok := d.items[name].(*ref)
		if !ok {
			return nil, nil, fmt.Errorf("%w: %s is %s, want a tensor; is it a checkpoint of training?", ErrUnsupported, escape.Quote(name, 80), kind(d.items[name]))
		}
		t, bytes, err := a.tensor(name, r)
		if err != nil {
			return nil, nil, fmt.Errorf("tensor %s: %w", escape.Quote(name, 80), err)
		}
		list, data = append(list, t), append(data, bytes)
	}
	return list, data, nil
}

func (a *archive) tensor(name string, r *ref) (safetensors.Tensor, []byte, error) {
	t := safetensors.Tensor{Name: name, DType: r.storage.dtype, Shape: r.shape}
	whole, err := a.read(path.Join("data", r.storage.key))
	if err != nil {
		return t, nil, err
	}
	width := int64(t.DType.Bits() / 8)
	count := int64(1)
	for i := len(r.shape) - 1; i >= 0; i-- {
		if r.shape[i] > 1 && r.stride[i] != count {
			return t, nil, fmt.Errorf("%w: shape %v with strides %v, want values side by side", ErrUnsupported, r.shape, r.stride)
		}
		if count *= int64(r.shape[i]); count > int64(len(whole)) {
			return t, nil, fmt.Errorf("%w: shape %v is more than its %d bytes hold", ErrCorrupt, r.shape, len(whole))
		}
	}
	begin, size := r.offset*width, count*width
	if r.offset > int64(len(whole)) || begin+size > int64(len(whole)) {
		return t, nil, fmt.Errorf("%w: %d values from %d on are more than its %d bytes hold", ErrCorrupt, count, r.offset, len(whole))
	}
	t.Size = size
	return t, whole[begin : begin+size : begin+size], nil
}

// kind names a value for errors.
func kind(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case *dict:
		return "a dictionary"
	case *ref:
		return "a tensor"
	case global:
		return escape.Quote(string(v), 80)
	}
	return fmt.Sprintf("a %T", v)
}

var le = binary.LittleEndian
