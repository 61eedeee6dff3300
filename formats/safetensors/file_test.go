package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
)

// f32 is the data of F32 elements.
func f32(values ...float32) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// sample has a tensor of every type, one without elements and one without dimensions, in the order of the file.
func sample() []TensorData {
	var all []TensorData
	for i := len(dtypes) - 1; i >= 0; i-- {
		all = append(all, TensorData{"t." + string(dtypes[i].name), dtypes[i].name, []int{2, 4}, bytes.Repeat([]byte{byte(i + 1)}, dtypes[i].bits)})
		if dtypes[i].name == F32 {
			all = append(all, TensorData{"t.empty", F32, []int{3, 0}, nil}, TensorData{"t.scalar", F32, []int{}, f32(1.5)})
		}
	}
	return all
}

func written(t testing.TB, tensors []TensorData, metadata map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, tensors, metadata); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// contents is what a file holds, as its writer takes it.
func contents(f *File) (all []TensorData) {
	for i := range f.Tensors() {
		t := &f.Tensors()[i]
		all = append(all, TensorData{t.Name, t.DType, t.Shape, f.Bytes(t)})
	}
	return all
}

func TestWriteRead(t *testing.T) {
	want := sample()
	shuffled := append(slices.Clone(want[7:]), want[:7]...)
	data := written(t, shuffled, map[string]string{"format": "pt", "a\"<b>": "é"})
	f, err := Parse("sample", data)
	if err != nil {
		t.Fatal(err)
	}
	if got := contents(f); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if m := f.Metadata(); len(m) != 2 || m["format"] != "pt" || m["a\"<b>"] != "é" {
		t.Errorf("metadata is %q", m)
	}
	if again := written(t, contents(f), f.Metadata()); !bytes.Equal(again, data) {
		t.Error("written again it differs")
	}
	if n := binary.LittleEndian.Uint64(data); n%8 != 0 {
		t.Errorf("the data begins at byte %d", n+8)
	}
}

func TestWriteBytes(t *testing.T) {
	got := written(t, []TensorData{{"b", U8, []int{1}, []byte{7}}, {"a", F32, []int{1, 2}, f32(1, 2)}}, nil)
	want := file(`{"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[1],"data_offsets":[8,9]}}    `, 0)
	want = append(append(want, f32(1, 2)...), 7)
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

func TestWriteRefuses(t *testing.T) {
	ok := TensorData{"a", F32, []int{1}, f32(1)}
	for name, c := range map[string]struct {
		tensors []TensorData
		kind    error
	}{
		"twice":     {[]TensorData{ok, ok}, ErrCorrupt},
		"reserved":  {[]TensorData{{"__metadata__", F32, []int{1}, f32(1)}}, ErrCorrupt},
		"not UTF-8": {[]TensorData{{"\xff", F32, []int{1}, f32(1)}}, ErrCorrupt},
		"size":      {[]TensorData{{"a", F32, []int{2}, f32(1)}}, ErrCorrupt},
		"negative":  {[]TensorData{{"a", F32, []int{-1, -1}, f32(1)}}, ErrCorrupt},
		"dtype":     {[]TensorData{{"a", "F7", []int{1}, f32(1)}}, ErrUnsupported},
	} {
		var b bytes.Buffer
		if err := Write(&b, c.tensors, nil); !errors.Is(err, c.kind) || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes written", name, err, b.Len())
		}
	}
}

func TestAccepted(t *testing.T) {
	a := entry("a", "F32", "[2]", 0, 8)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":         {file("{}", 0), "[]"},
		"spaces":          {file("{ \"a\" :\n{ \"dtype\":\"F32\",\t\"shape\": [ 2 ], \"data_offsets\":[0, 8 ] } }   \n", 8), "[a[2]8]"},
		"fields in order": {file(`{"a":{"data_offsets":[0,8],"shape":[2],"dtype":"F32"}}`, 8), "[a[2]8]"},
		"unknown fields":  {file(`{"a":{"x":[1,{"y":null}],"z":{},"w":-1.5e3,"v":"\"","dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8), "[a[2]8]"},
		"escaped name":    {entries(8, entry(`\u00e9\n\\`, "F32", "[2]", 0, 8)), "[é\n\\[2]8]"},
		"empty name":      {entries(8, entry("", "F32", "[2]", 0, 8)), "[[2]8]"},
		"out of order":    {entries(12, entry("b", "F32", "[1]", 8, 12), a), "[a[2]8 b[1]4]"},
		"tied":            {entries(8, a, entry("b", "F32", "[2]", 0, 8), entry("c", "F32", "[2]", 0, 8)), "[a[2]8 b[2]8=a c[2]8=a]"},
		"empty at a seam": {entries(16, a, entry("b", "F32", "[0]", 8, 8), entry("c", "F32", "[2]", 8, 16)), "[a[2]8 b[0]0 c[2]8]"},
		"empty ones":      {entries(0, entry("a", "F32", "[0]", 0, 0), entry("b", "F32", "[0]", 0, 0)), "[a[0]0 b[0]0]"},
		"null metadata":   {file(`{"__metadata__":{}}`, 0), "[]"},
	} {
		f, err := Parse(name, c.data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		readAll(f)
		var got []string
		for _, ts := range f.Tensors() {
			s := fmt.Sprintf("%s%v%d", ts.Name, ts.Shape, ts.Size)
			if ts.SharesWith != "" {
				s += "=" + ts.SharesWith
			}
			got = append(got, s)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

func TestFloats(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		dtype DType
		data  []byte
		want  []float32
	}{
		{F32, f32(1.5, -2, nan), []float32{1.5, -2, nan}},
		{F64, binary.LittleEndian.AppendUint64(nil, math.Float64bits(0.1)), []float32{0.1}},
		{F16, []byte{0x00, 0x3c, 0x00, 0xc0, 0x00, 0x7c, 0x01, 0x00}, []float32{1, -2, inf, 0x1p-24}},
		{BF16, []byte{0x80, 0x3f, 0x00, 0xc0, 0x80, 0x7f}, []float32{1, -2, inf}},
		{F8_E4M3, []byte{0x00, 0x38, 0xb8, 0x7e, 0x7f, 0xff, 0x01, 0x08, 0x80}, []float32{0, 1, -1, 448, nan, nan, 0x1p-9, 0x1p-6, float32(math.Copysign(0, -1))}},
		{F8_E5M2, []byte{0x00, 0x3c, 0xbc, 0x7b, 0x7c, 0xfc, 0x7d, 0x01, 0x04}, []float32{0, 1, -1, 57344, inf, -inf, nan, 0x1p-16, 0x1p-14}},
		{F8_E8M0, []byte{0, 127, 128, 254, 255}, []float32{0x1p-127, 1, 2, 0x1p127, nan}},
	} {
		f, err := Parse("x", written(t, []TensorData{{"a", c.dtype, []int{len(c.want)}, c.data}}, nil))
		if err != nil {
			t.Fatal(err)
		}
		a, _ := f.Tensor("a")
		got := make([]float32, len(c.want))
		if err := f.Floats(a, got); err != nil {
			t.Errorf("%s: %v", c.dtype, err)
		}
		for i := range got {
			if math.Float32bits(got[i]) != math.Float32bits(c.want[i]) && !(got[i] != got[i] && c.want[i] != c.want[i]) {
				t.Errorf("%s: element %d is %g, want %g", c.dtype, i, got[i], c.want[i])
			}
		}
	}
	f, err := Parse("x", written(t, []TensorData{{"a", I64, []int{1}, make([]byte, 8)}}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Floats(&f.Tensors()[0], make([]float32, 1)); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), `tensor "a": type "I64"`) {
		t.Errorf("I64: %v", err)
	}
}

// TestFloat8 compares the tables with the definitions, digit by digit.
func TestFloat8(t *testing.T) {
	for b := range 256 {
		sign := 1 - 2*float64(b>>7)
		e, m := float64(b>>3&15), float64(b&7)
		want := sign * (1 + m/8) * math.Pow(2, e-7)
		if e == 0 {
			want = sign * m / 8 * math.Pow(2, -6)
		}
		if got := float64(e4m3[b]); got != want && b&0x7f != 0x7f {
			t.Errorf("E4M3 %#x = %g, want %g", b, got, want)
		}
		e, m = float64(b>>2&31), float64(b&3)
		want = sign * (1 + m/4) * math.Pow(2, e-15)
		if e == 0 {
			want = sign * m / 4 * math.Pow(2, -14)
		}
		if got := float64(e5m2[b]); got != want && e != 31 {
			t.Errorf("E5M2 %#x = %g, want %g", b, got, want)
		}
	}
}

func TestLifetime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := os.WriteFile(path, written(t, sample(), nil), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	ts, ok := f.Tensor("t.F32")
	if _, absent := f.Tensor("absent"); !ok || absent || cap(f.Bytes(ts)) != 32 {
		t.Fatalf("tensor %v, capacity %d", ts, cap(f.Bytes(ts)))
	}
	if err := errors.Join(f.Close(), f.Close()); err != nil {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("Bytes after Close does not panic")
		}
	}()
	f.Bytes(ts)
}

// TestReference reads a file of the reference layout and writes it again, which must give the same bytes.
func TestReference(t *testing.T) {
	for _, dir := range []string{"demo", "demo/draft"} {
		path := filepath.Join(golden.Shared(t, "models", filepath.FromSlash(dir)), "model.safetensors")
		f, err := Open(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(path)
		if got := written(t, contents(f), f.Metadata()); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: written again it differs (%v)", dir, err)
		}
		f.Close()
	}
}
