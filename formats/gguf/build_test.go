package gguf

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

// rawFile builds the bytes of a file without any of the writer's checks, so that every field can be wrong.
type rawFile struct {
	keys    []rawKey
	tensors []rawTensor
	data    []byte

	version  uint32  // 0: 3
	nKeys    *uint64 // nil: as many as there are
	nTensors *uint64
	align    int // of the data; 0: 32
	order    binary.AppendByteOrder
}

type rawKey struct {
	name string
	v    rawValue
}

type rawTensor struct {
	name   string
	dims   []uint64
	typ    uint32
	offset uint64
}

// rawValue is a value and its type; the bytes are made when the byte order is known.
type rawValue struct {
	typ   uint32
	bytes func(o binary.AppendByteOrder) []byte
}

func (f rawFile) build() []byte {
	o := f.order
	if o == nil {
		o = binary.LittleEndian
	}
	b := f.head(o)
	for _, k := range f.keys {
		b = rawString(o, b, k.name)
		b = append(o.AppendUint32(b, k.v.typ), k.v.bytes(o)...)
	}
	for _, t := range f.tensors {
		b = o.AppendUint32(rawString(o, b, t.name), uint32(len(t.dims)))
		for _, d := range t.dims {
			b = o.AppendUint64(b, d)
		}
		b = o.AppendUint64(o.AppendUint32(b, t.typ), t.offset)
	}
	align := f.align
	if align == 0 {
		align = 32
	}
	b = append(b, make([]byte, (align-len(b)%align)%align)...)
	return append(b, f.data...)
}

func (f rawFile) head(o binary.AppendByteOrder) []byte {
	version, nKeys, nTensors := f.version, uint64(len(f.keys)), uint64(len(f.tensors))
	if version == 0 {
		version = 3
	}
	if f.nKeys != nil {
		nKeys = *f.nKeys
	}
	if f.nTensors != nil {
		nTensors = *f.nTensors
	}
	return o.AppendUint64(o.AppendUint64(o.AppendUint32([]byte("GGUF"), version), nTensors), nKeys)
}

func rawString(o binary.AppendByteOrder, b []byte, s string) []byte {
	return append(o.AppendUint64(b, uint64(len(s))), s...)
}

func rawBytes(typ ValueType, b ...byte) rawValue {
	return rawValue{uint32(typ), func(binary.AppendByteOrder) []byte { return b }}
}

func rawU32(v uint32) rawValue {
	return rawValue{uint32(TypeUint32), func(o binary.AppendByteOrder) []byte { return o.AppendUint32(nil, v) }}
}

func rawStr(s string) rawValue {
	return rawValue{uint32(TypeString), func(o binary.AppendByteOrder) []byte { return rawString(o, nil, s) }}
}

// rawArray is an array that says it has n elements and holds these bytes.
func rawArray(elem ValueType, n uint64, b ...byte) rawValue {
	return rawValue{uint32(TypeArray), func(o binary.AppendByteOrder) []byte {
		return append(o.AppendUint64(o.AppendUint32(nil, uint32(elem)), n), b...)
	}}
}

// of makes a rawValue of a Value, through the writer's encoding.
func of(v Value) rawValue { return rawBytes(v.typ, v.appendTo(nil)...) }

func ptr(n uint64) *uint64 { return &n }

var archKey = rawKey{"general.architecture", rawStr("llama")}

// f32Tensor is a tensor of n float32 at an offset.
func f32Tensor(name string, n, offset uint64) rawTensor {
	return rawTensor{name, []uint64{n}, uint32(quant.F32), offset}
}

// sample is a small file with every type of value, arrays of each, nested arrays, and four tensors, one of them empty.
func sample() (*Metadata, []TensorInfo, [][]byte) {
	md := NewMetadata()
	md.Set("general.architecture", String("llama"))
	md.Set("general.name", String("Ünï \x1b[2J\xff"))
	for _, v := range allScalars() {
		md.Set("scalar."+v.Type().String(), v)
		md.Set("array."+v.Type().String(), ArrayOf(v.Type(), []Value{v, v, v}))
		md.Set("empty."+v.Type().String(), ArrayOf(v.Type(), nil))
	}
	inner := []Value{Uint32s([]uint32{1, 2}), Strings([]string{"a", ""}), ArrayOf(TypeArray, []Value{Bools([]bool{true})})}
	md.Set("nested", ArrayOf(TypeArray, inner))
	tensors := []TensorInfo{
		{"token_embd.weight", quant.F32, []int{4, 3}},
		{"empty", quant.F16, []int{4, 0}},
		{"blk.0.ffn_up.weight", quant.Q8_0, []int{64, 1, 2}},
		{"output_norm.weight", quant.F16, []int{5}},
	}
	data := make([][]byte, len(tensors))
	for i, t := range tensors {
		size, _ := dataSize(t.Type, t.Shape)
		for j := range size {
			data[i] = append(data[i], byte(int(j)*7+i))
		}
	}
	return md, tensors, data
}

func allScalars() []Value {
	return []Value{
		Uint8(200), Int8(-100), Uint16(60000), Int16(-30000), Uint32(4e9), Int32(-2e9), Float32(1.5), Bool(true),
		String("text"), Uint64(math.MaxUint64), Int64(math.MinInt64), Float64(-math.Pi),
	}
}

// sampleBytes is sample as the writer writes it.
func sampleBytes(t testing.TB) []byte {
	t.Helper()
	md, tensors, data := sample()
	return written(t, md, tensors, data)
}

// store puts a file into a new folder and returns its path.
func store(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
