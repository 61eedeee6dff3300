package gguf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

// written is the file that the writer makes.
func written(t testing.TB, md *Metadata, tensors []TensorInfo, data [][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, md, tensors)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range data {
		if err := w.WriteTensor(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := Size(md, tensors); err != nil || n != int64(b.Len()) {
		t.Fatalf("Size is %d, %v; %d bytes were written", n, err, b.Len())
	}
	return b.Bytes()
}

// rewrite writes what was read again.
func rewrite(f *File, w io.Writer) error {
	infos := make([]TensorInfo, len(f.Tensors))
	for i := range f.Tensors {
		infos[i] = f.Tensors[i].Info()
	}
	wr, err := NewWriter(w, f.Metadata, infos)
	if err != nil {
		return err
	}
	for i := range f.Tensors {
		if err := wr.WriteTensor(f.Bytes(&f.Tensors[i])); err != nil {
			return err
		}
	}
	return wr.Close()
}

func TestWriteRead(t *testing.T) {
	for _, align := range []uint32{1, 8, 32, 64, 4096} {
		md, tensors, data := sample()
		md.Set(alignmentKey, Uint32(align))
		file := written(t, md, tensors, data)
		f, err := Parse("sample", file)
		if err != nil {
			t.Fatalf("alignment %d: %v", align, err)
		}
		if f.Version != 3 || f.Alignment != int(align) || !sameMetadata(f.Metadata, md) {
			t.Errorf("alignment %d: version %d, alignment %d, keys %v", align, f.Version, f.Alignment, f.Metadata.Keys())
		}
		for i, want := range tensors {
			got, ok := f.Tensor(want.Name)
			if !ok || got.Offset%int64(align) != 0 || fmt.Sprint(got.Info()) != fmt.Sprint(want) || !bytes.Equal(f.Bytes(got), data[i]) {
				t.Errorf("alignment %d: tensor %v reads as %+v", align, want, got)
			}
		}
		var again bytes.Buffer
		if err := rewrite(f, &again); err != nil || !bytes.Equal(again.Bytes(), file) {
			t.Errorf("alignment %d: written again it differs (%v)", align, err)
		}
	}
}

func sameMetadata(a, b *Metadata) bool {
	if fmt.Sprint(a.Keys()) != fmt.Sprint(b.Keys()) {
		return false
	}
	for k, v := range a.All() {
		if w, _ := b.Get(k); v != w {
			return false
		}
	}
	return true
}

// TestWriteBytes pins a whole file, built by hand.
func TestWriteBytes(t *testing.T) {
	md := NewMetadata()
	md.Set("general.architecture", String("llama"))
	md.Set("n", Uint32(7))
	got := written(t, md, []TensorInfo{{"a", quant.F32, []int{2}}, {"b", quant.F16, []int{1, 1}}}, [][]byte{[]byte("01234567"), []byte("xy")})
	want := rawFile{
		keys:    []rawKey{archKey, {"n", rawU32(7)}},
		tensors: []rawTensor{f32Tensor("a", 2, 0), {"b", []uint64{1, 1}, uint32(quant.F16), 32}},
		data:    append(append([]byte("01234567"), make([]byte, 24)...), append([]byte("xy"), make([]byte, 30)...)...),
	}.build()
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

// TestWritePieces writes the sample in pieces of every size up to 40 bytes.
func TestWritePieces(t *testing.T) {
	md, tensors, data := sample()
	want := written(t, md, tensors, data)
	for size := 1; size <= 40; size++ {
		var b bytes.Buffer
		w, err := NewWriter(&b, md, tensors)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range data {
			for len(d) > 0 {
				n, err := w.Write(d[:min(size, len(d))])
				if err != nil {
					t.Fatal(err)
				}
				d = d[n:]
			}
		}
		if err := w.Close(); err != nil || !bytes.Equal(b.Bytes(), want) {
			t.Fatalf("pieces of %d: %v, equal %t", size, err, bytes.Equal(b.Bytes(), want))
		}
	}
}

func TestWriterMisuse(t *testing.T) {
	infos := []TensorInfo{{"a", quant.F32, []int{2}}, {"none", quant.F32, []int{0}}, {"b", quant.F32, []int{1}}}
	for name, c := range map[string]struct {
		calls []string // data of each WriteTensor; "+" in front: Write
		want  string
	}{
		"complete":        {[]string{"01234567", "", "0123"}, ""},
		"empty skipped":   {[]string{"01234567", "0123"}, ""},
		"pieces":          {[]string{"+0123", "+4567", "+01", "+23"}, ""},
		"too short":       {[]string{"0123456"}, `tensor "a": 7 bytes given where 8 of 8 are left`},
		"too long":        {[]string{"012345678"}, `tensor "a": 9 bytes given where 8 of 8 are left`},
		"piece too long":  {[]string{"+0123", "+45678"}, `tensor "a": 5 bytes given where 4 of 8 are left`},
		"whole in pieces": {[]string{"+0123", "4567"}, `tensor "a": 4 bytes given where 4 of 8 are left`},
		"one missing":     {[]string{"01234567"}, `tensor "b": 0 of 4 bytes were written`},
		"half missing":    {[]string{"+0123"}, `tensor "a": 4 of 8 bytes were written`},
		"one too many":    {[]string{"01234567", "0123", "x"}, `1 bytes given after the data of all 3 tensors`},
		"empty for full":  {[]string{""}, `tensor "a": 0 bytes given where 8 of 8 are left`},
	} {
		w, err := NewWriter(io.Discard, NewMetadata(), infos)
		for _, call := range c.calls {
			if err == nil {
				if piece, ok := strings.CutPrefix(call, "+"); ok {
					_, err = w.Write([]byte(piece))
				} else {
					err = w.WriteTensor([]byte(call))
				}
			}
		}
		if closeErr := w.Close(); err == nil {
			err = closeErr
		} else if closeErr == nil {
			t.Errorf("%s: Close forgot %v", name, err)
		}
		if got := fmt.Sprint(err); got != c.want && !(c.want == "" && err == nil) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	bad := func(key string, v Value) *Metadata {
		md := NewMetadata()
		md.Set(key, v)
		return md
	}
	ok := TensorInfo{"a", quant.F32, []int{2}}
	for name, c := range map[string]struct {
		md      *Metadata
		tensors []TensorInfo
		kind    error
	}{
		"alignment 0":   {bad(alignmentKey, Uint32(0)), nil, ErrCorrupt},
		"alignment 24":  {bad(alignmentKey, Uint32(24)), nil, ErrCorrupt},
		"alignment i32": {bad(alignmentKey, Int32(32)), nil, ErrCorrupt},
		"empty key":     {bad("", Uint32(0)), nil, ErrCorrupt},
		"long key":      {bad(strings.Repeat("k", 65536), Uint32(0)), nil, ErrCorrupt},
		"twice":         {NewMetadata(), []TensorInfo{ok, ok}, ErrCorrupt},
		"long name":     {NewMetadata(), []TensorInfo{{strings.Repeat("n", 64), quant.F32, []int{1}}}, ErrUnsupported},
		"no shape":      {NewMetadata(), []TensorInfo{{"a", quant.F32, nil}}, ErrUnsupported},
		"5 dimensions":  {NewMetadata(), []TensorInfo{{"a", quant.F32, []int{1, 1, 1, 1, 1}}}, ErrUnsupported},
		"negative":      {NewMetadata(), []TensorInfo{{"a", quant.F32, []int{-1}}}, ErrCorrupt},
		"removed type":  {NewMetadata(), []TensorInfo{{"a", 4, []int{1}}}, ErrUnsupported},
		"unknown type":  {NewMetadata(), []TensorInfo{{"a", 999, []int{1}}}, ErrUnsupported},
		"half a block":  {NewMetadata(), []TensorInfo{{"a", quant.Q8_0, []int{33}}}, ErrCorrupt},
		"overflow":      {NewMetadata(), []TensorInfo{{"a", quant.I8, []int{math.MaxInt, 2}}}, ErrCorrupt},
		"sum overflows": {NewMetadata(), []TensorInfo{{"a", quant.I8, []int{math.MaxInt - 1<<22}}, {"b", quant.I8, []int{1 << 30}}}, ErrUnsupported},
	} {
		var b bytes.Buffer
		_, err := NewWriter(&b, c.md, c.tensors)
		if !errors.Is(err, c.kind) || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes written", name, err, b.Len())
		}
		if _, sizeErr := Size(c.md, c.tensors); fmt.Sprint(sizeErr) != fmt.Sprint(err) {
			t.Errorf("%s: Size says %v", name, sizeErr)
		}
	}
}

// failingWriter fails after some bytes.
type failingWriter struct{ left int }

var errFull = errors.New("no space left on device")

func (w *failingWriter) Write(b []byte) (int, error) {
	if len(b) > w.left {
		n := w.left
		w.left = 0
		return n, errFull
	}
	w.left -= len(b)
	return len(b), nil
}

// TestWriteFails lets the stream fail at every byte.
func TestWriteFails(t *testing.T) {
	md, tensors, data := sample()
	whole := len(written(t, md, tensors, data))
	for n := range whole {
		w, err := NewWriter(&failingWriter{n}, md, tensors)
		for i := range data {
			if err == nil {
				err = w.WriteTensor(data[i])
			}
		}
		if w != nil && err == nil {
			err = w.Close()
		}
		if !errors.Is(err, errFull) {
			t.Fatalf("stream of %d bytes: %v", n, err)
		}
	}
}
