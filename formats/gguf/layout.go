package gguf

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/llamakit/llamakit/formats/internal/fault"
)

// layout is a file that is to be written: its header, and where the data of each tensor goes.
type layout struct {
	header    []byte // padded to the alignment
	sizes     []int64
	alignment int
	total     int64 // bytes of the whole file
}

// Size returns the bytes of the file that a Writer makes of these keys and tensors.
func Size(md *Metadata, tensors []TensorInfo) (int64, error) {
	l, err := plan(md, tensors)
	if err != nil {
		return 0, err
	}
	return l.total, nil
}

// plan lays a file out: tensors in the order given, each at the next multiple of the alignment, the last one padded too,
// as llama.cpp does. It refuses what the reader would refuse.
func plan(md *Metadata, tensors []TensorInfo) (*layout, error) {
	alignment, err := alignmentIn(md)
	if err != nil {
		return nil, err
	}
	l := &layout{alignment: alignment}
	l.begin(3, len(tensors), md.Len())
	if err := l.addKeys(md); err != nil {
		return nil, err
	}
	if err := l.addTensors(tensors); err != nil {
		return nil, err
	}
	l.header = append(l.header, make([]byte, l.padding(int64(len(l.header))))...)
	l.total += int64(len(l.header))
	return l, nil
}

// alignmentIn returns the alignment of a file with these keys.
func alignmentIn(md *Metadata) (int, error) {
	v, ok := md.Get(alignmentKey)
	if !ok {
		return defaultAlign, nil
	}
	a, ok := alignmentOf(v)
	if !ok {
		return 0, invalid("key %q is %s, but must be a u32 that is a power of two and at most %d", alignmentKey, describe(v), maxAlignment)
	}
	return a, nil
}

// begin writes what stands before the keys.
func (l *layout) begin(version uint32, tensors, keys int) {
	l.header = binary.LittleEndian.AppendUint32([]byte("GGUF"), version)
	l.header = binary.LittleEndian.AppendUint64(l.header, uint64(tensors))
	l.header = binary.LittleEndian.AppendUint64(l.header, uint64(keys))
}

func (l *layout) addKeys(md *Metadata) error {
	if md.Len() > maxKeys {
		return fault.In(ErrUnsupported, "", "%d keys are more than the limit of %d", md.Len(), maxKeys)
	}
	for key, v := range md.All() {
		if key == "" || len(key) > maxKeyLength {
			return invalid("key %s: a name has 1 to %d bytes, not %d", quote(key), maxKeyLength, len(key))
		}
		l.header = appendString(l.header, key)
		l.header = binary.LittleEndian.AppendUint32(l.header, uint32(v.typ))
		l.header = v.appendTo(l.header)
	}
	return nil
}

func (l *layout) addTensors(tensors []TensorInfo) error {
	if len(tensors) > maxTensors {
		return fault.In(ErrUnsupported, "", "%d tensors are more than the limit of %d", len(tensors), maxTensors)
	}
	names := make(map[string]bool, len(tensors))
	l.sizes = make([]int64, 0, len(tensors))
	for _, t := range tensors {
		size, bad := checkInfo(t)
		if bad == nil && names[t.Name] {
			bad = &badTensor{ErrCorrupt, "is there twice"}
		}
		if bad != nil {
			return fault.In(bad.kind, "", "tensor %s: %s", quote(t.Name), bad.fact)
		}
		if size > math.MaxInt64-l.total-maxAlignment {
			return fault.In(ErrUnsupported, "", "tensor %s: the file would be larger than 2^63 bytes", quote(t.Name))
		}
		names[t.Name] = true
		l.addTensor(t, size)
	}
	return nil
}

func (l *layout) addTensor(t TensorInfo, size int64) {
	l.addEntry(t, l.total)
	l.sizes = append(l.sizes, size)
	l.total += size + l.padding(size)
}

func (l *layout) addEntry(t TensorInfo, offset int64) {
	l.header = appendString(l.header, t.Name)
	l.header = binary.LittleEndian.AppendUint32(l.header, uint32(len(t.Shape)))
	for _, d := range t.Shape {
		l.header = binary.LittleEndian.AppendUint64(l.header, uint64(d))
	}
	l.header = binary.LittleEndian.AppendUint32(l.header, uint32(t.Type))
	l.header = binary.LittleEndian.AppendUint64(l.header, uint64(offset))
}

// checkInfo returns the bytes of the tensor's data, or what is wrong with it.
func checkInfo(t TensorInfo) (int64, *badTensor) {
	if bad := checkName(t.Name); bad != nil {
		return 0, bad
	}
	if len(t.Shape) < 1 || len(t.Shape) > maxDims {
		return 0, &badTensor{ErrUnsupported, "a shape has 1 to 4 dimensions"}
	}
	if slices.Min(t.Shape) < 0 {
		return 0, &badTensor{ErrCorrupt, "a dimension is negative"}
	}
	return dataSize(t.Type, t.Shape)
}

// padding is the number of zero bytes after n bytes of data.
func (l *layout) padding(n int64) int64 { return -n & int64(l.alignment-1) }
