package gguf

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func nothing() error { return nil }

// TestSalvage cuts a file at every byte: what is there before the cut is found, and the error is Open's.
func TestSalvage(t *testing.T) {
	data := sampleBytes(t)
	whole, err := Parse("m.gguf", data)
	if err != nil {
		t.Fatal(err)
	}
	keys, tensors := 0, 0
	for n := range len(data) {
		f := salvage("m.gguf", data[:n], nothing)
		if f == nil {
			if keys > 0 {
				t.Fatalf("nothing in %d bytes, %d keys in less", n, keys)
			}
			continue
		}
		if f.Metadata.Len() < keys || len(f.Tensors) < tensors {
			t.Fatalf("%d bytes hold %d keys and %d tensors, fewer of them %d and %d", n, f.Metadata.Len(), len(f.Tensors), keys, tensors)
		}
		keys, tensors = f.Metadata.Len(), len(f.Tensors)
		for key, v := range f.Metadata.All() {
			if want, ok := whole.Metadata.Get(key); !ok || v != want {
				t.Fatalf("%d bytes: key %q is %v", n, key, v.Any())
			}
		}
	}
	if keys != whole.Metadata.Len() || tensors != len(whole.Tensors) {
		t.Errorf("%d keys and %d tensors, want all", keys, tensors)
	}
}

// TestSalvageData cuts the last tensor: it reads the data that is there, and gets an error for the rest.
func TestSalvageData(t *testing.T) {
	data := sampleBytes(t)
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := os.WriteFile(path, data[:1955], 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Salvage(path)
	if f == nil || !errors.Is(err, ErrCorrupt) {
		t.Fatal(f, err)
	}
	defer f.Close()
	good, bad := 0, 0
	for i := range f.Tensors {
		x := &f.Tensors[i]
		if err := f.ReadTensor(x, make([]byte, x.Size), 0); err == nil {
			good++
		} else if errors.Is(err, ErrCorrupt) {
			bad++
		}
	}
	if bad == 0 || good+bad != len(f.Tensors) {
		t.Errorf("%d tensors can be read, %d cannot, of %d", good, bad, len(f.Tensors))
	}
	if f, err := Salvage(path + ".none"); f != nil || !errors.Is(err, ErrNotFound) {
		t.Error(f, err)
	}
}

func FuzzSalvage(f *testing.F) {
	f.Add(sampleBytes(f))
	for _, c := range refusals() {
		if len(c.data) < 1<<12 {
			f.Add(c.data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := salvage("fuzz.gguf", data, nothing)
		if file == nil {
			return
		}
		for i := range file.Tensors {
			x := &file.Tensors[i]
			file.ReadTensor(x, make([]byte, min(x.Size, 1<<10)), 0)
		}
	})
}
