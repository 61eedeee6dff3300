package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/llamakit/llamakit/formats/internal/fault"
)

// TensorData is a tensor that is to be written.
type TensorData struct {
	Name  string
	DType DType
	Shape []int // the slowest dimension first
	Data  []byte
}

// headerEntry is a tensor's value in the header, its fields in the order of the reference implementation.
type headerEntry struct {
	DType   DType    `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// Write writes a file with these tensors, and with metadata unless it is empty. As in the reference implementation
// tensors are sorted by type, so that each is aligned, then by name, and the data begins at a multiple of 8.
func Write(w io.Writer, tensors []TensorData, metadata map[string]string) error {
	tensors = slices.Clone(tensors)
	slices.SortStableFunc(tensors, func(a, b TensorData) int {
		return cmp.Or(cmp.Compare(b.DType.rank(), a.DType.rank()), cmp.Compare(a.Name, b.Name))
	})
	if err := check(tensors); err != nil {
		return err
	}
	header, err := makeHeader(tensors, metadata)
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, t := range tensors {
		if _, err := w.Write(t.Data); err != nil {
			return err
		}
	}
	return nil
}

// check refuses what Parse would refuse.
func check(tensors []TensorData) error {
	names := map[string]bool{"__metadata__": true}
	for _, t := range tensors {
		if t.DType.Bits() == 0 {
			return fault.In(ErrUnsupported, "", "tensor %s: dtype %s is not known", quote(t.Name), quote(string(t.DType)))
		}
		if size, ok := t.DType.size(t.Shape); !ok || size != int64(len(t.Data)) {
			return fault.In(ErrCorrupt, "", "tensor %s: %d bytes of data cannot be shape %v of %s", quote(t.Name), len(t.Data), t.Shape, t.DType)
		}
		if !utf8.ValidString(t.Name) {
			return fault.In(ErrCorrupt, "", "tensor %s: the name is not UTF-8", quote(t.Name))
		}
		if names[t.Name] {
			return fault.In(ErrCorrupt, "", "tensor %s is there twice, or has a name that is not free", quote(t.Name))
		}
		names[t.Name] = true
	}
	return nil
}

// makeHeader returns the size and the JSON, padded with spaces.
func makeHeader(tensors []TensorData, metadata map[string]string) ([]byte, error) {
	b := bytes.NewBuffer(append(make([]byte, 8), '{'))
	if len(metadata) > 0 {
		if err := field(b, "__metadata__", metadata); err != nil {
			return nil, err
		}
	}
	at := int64(0)
	for _, t := range tensors {
		end := at + int64(len(t.Data))
		if err := field(b, t.Name, headerEntry{t.DType, append([]int{}, t.Shape...), [2]int64{at, end}}); err != nil {
			return nil, err
		}
		at = end
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	binary.LittleEndian.PutUint64(b.Bytes(), uint64(b.Len()-8))
	return b.Bytes(), nil
}

// field appends `"name":value`, behind a comma unless it is the first.
func field(b *bytes.Buffer, name string, value any) error {
	if b.Len() > 9 {
		b.WriteByte(',')
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(name); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // Encode ends with a newline
	b.WriteByte(':')
	err := enc.Encode(value)
	b.Truncate(b.Len() - 1)
	return err
}
