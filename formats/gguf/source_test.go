package gguf

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// countedSource serves a file and counts what was read of it.
type countedSource struct {
	data []byte
	read int
	fail error
}

func (s *countedSource) Size() int64  { return int64(len(s.data)) }
func (s *countedSource) Close() error { return nil }
func (s *countedSource) ReadAt(p []byte, off int64) (int, error) {
	if s.fail != nil {
		return 0, s.fail
	}
	s.read += len(p)
	return bytes.NewReader(s.data).ReadAt(p, off)
}

func openBytes(name string, data []byte) (*File, error) {
	return OpenFrom(name, func(string) (Source, error) { return &countedSource{data: data}, nil })
}

// TestOpenFromAgrees pins that a file read by pieces is accepted, refused and worded as one in memory.
func TestOpenFromAgrees(t *testing.T) {
	for _, c := range refusals() {
		_, mapped := Parse("m.gguf", c.data)
		_, read := openBytes("m.gguf", c.data)
		if mapped == nil || read == nil || mapped.Error() != read.Error() {
			t.Errorf("%s: in memory %v, by pieces %v", c.name, mapped, read)
		}
	}
	a, _ := Parse("m.gguf", sampleBytes(t))
	b, err := openBytes("m.gguf", sampleBytes(t))
	if err != nil || !sameMetadata(a.Metadata, b.Metadata) || len(a.Tensors) != len(b.Tensors) {
		t.Fatalf("read by pieces the sample differs (%v)", err)
	}
	for i := range a.Tensors {
		got := make([]byte, a.Tensors[i].Size)
		if err := b.ReadTensor(&b.Tensors[i], got, 0); err != nil || !bytes.Equal(got, a.Bytes(&a.Tensors[i])) {
			t.Errorf("data of tensor %d differs (%v)", i, err)
		}
	}
}

// TestOpenFromReadsHeaders reads a header that takes several pieces, and none of the data behind it.
func TestOpenFromReadsHeaders(t *testing.T) {
	tokens := make([]string, 100_000)
	for i := range tokens {
		tokens[i] = "twelve bytes"
	}
	data := rawFile{keys: []rawKey{{"tokens", of(Strings(tokens))}}, tensors: []rawTensor{f32Tensor("big", 1<<20, 0)}, data: make([]byte, 4<<20)}.build()
	src := &countedSource{data: data}
	f, err := OpenFrom("m.gguf", func(string) (Source, error) { return src, nil })
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := f.Metadata.Get("tokens"); v.Len() != len(tokens) || v.Index(99_999).raw != "twelve bytes" {
		t.Error("the tokens are wrong")
	}
	if src.read < 2_000_000 || src.read > 4_000_000 {
		t.Errorf("%d bytes were read for a header of 2 MB", src.read)
	}
}

func TestOpenFromSet(t *testing.T) {
	dir := storeSet(t, nil)
	open := func(path string) (Source, error) {
		data, err := os.ReadFile(path)
		return &countedSource{data: data}, err
	}
	f, err := OpenFrom(filepath.Join(dir, "m"+memberSuffix(1, 3)), open)
	if err != nil || len(f.Tensors) != 3 || !f.Remote() {
		t.Fatalf("%v", err)
	}
	got := make([]byte, 4)
	if err := f.ReadTensor(&f.Tensors[2], got, 28); err != nil || string(got) != "\x03\x03\x03\x03" {
		t.Errorf("%v, %v", got, err)
	}
	if sizes := f.Sizes(); len(sizes) != 3 || sizes[0] < sizes[1] {
		t.Errorf("sizes %v", sizes)
	}
	os.Remove(filepath.Join(dir, "m"+memberSuffix(2, 3)))
	if _, err := OpenFrom(filepath.Join(dir, "m"+memberSuffix(1, 3)), open); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a shard is missing: %v", err)
	}
}

func TestOpenFromFails(t *testing.T) {
	for _, fail := range []error{io.ErrUnexpectedEOF, os.ErrDeadlineExceeded} {
		_, err := OpenFrom("m.gguf", func(string) (Source, error) { return &countedSource{data: sampleBytes(t), fail: fail}, nil })
		if !errors.Is(err, fail) {
			t.Errorf("%v is not %v", err, fail)
		}
	}
	huge := rawFile{keys: []rawKey{{"k", rawArray(TypeUint8, maxHeader, make([]byte, maxHeader)...)}}}.build()
	if _, err := openBytes("m.gguf", huge); !errors.Is(err, ErrUnsupported) {
		t.Errorf("a header of more than %d bytes: %v", maxHeader, err)
	}
}
