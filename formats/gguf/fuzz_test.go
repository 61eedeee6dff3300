package gguf

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
)

// FuzzParse wants no panic, memory bounded by the input, one printable line for an error, and for what is accepted that
// everything can be read and that writing and reading it again gives the same file.
func FuzzParse(f *testing.F) {
	for _, c := range refusals() {
		if len(c.data) < 1<<12 {
			f.Add(c.data)
		}
	}
	f.Add(sampleBytes(f))
	f.Add(member(1, 3, 3))
	f.Add(rawFile{version: 2, keys: []rawKey{archKey}}.build())
	f.Fuzz(func(t *testing.T, data []byte) {
		before := allocated()
		file, err := Parse("fuzz.gguf", data)
		if cost := allocated() - before; cost > 1<<20+64*uint64(len(data)) {
			t.Fatalf("%d bytes cost %d", len(data), cost)
		}
		if err != nil {
			known := errors.Is(err, ErrCorrupt) || errors.Is(err, ErrUnsupported) || errors.Is(err, ErrNotFound)
			if !known || !oneLine.MatchString(err.Error()) {
				t.Fatalf("error %q", err)
			}
			return
		}
		readAll(file)
		roundTrip(t, file)
	})
}

// roundTrip writes a file, reads that and writes it again.
func roundTrip(t *testing.T, file *File) {
	t.Helper()
	var first, second bytes.Buffer
	if err := rewrite(file, &first); err != nil {
		t.Fatalf("writing: %v", err)
	}
	again, err := Parse("again.gguf", first.Bytes())
	if err != nil {
		t.Fatalf("reading what was written: %v", err)
	}
	if !sameMetadata(file.Metadata, again.Metadata) || len(file.Tensors) != len(again.Tensors) {
		t.Fatal("the keys or tensors changed")
	}
	for i := range file.Tensors {
		if !bytes.Equal(file.Bytes(&file.Tensors[i]), again.Bytes(&again.Tensors[i])) {
			t.Fatalf("tensor %d changed", i)
		}
	}
	if err := rewrite(again, &second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Fatalf("written twice it differs (%v)", err)
	}
}

// FuzzOpenFrom wants a file that is read by pieces to be taken as one in memory is.
func FuzzOpenFrom(f *testing.F) {
	for _, c := range refusals() {
		if len(c.data) < 1<<12 {
			f.Add(c.data)
		}
	}
	f.Add(sampleBytes(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		whole, errWhole := parseShard("fuzz.gguf", data)
		pieces, errPieces := readShard("fuzz.gguf", &countedSource{data: data})
		if fmt.Sprint(errWhole) != fmt.Sprint(errPieces) {
			t.Fatalf("in memory %v, by pieces %v", errWhole, errPieces)
		}
		if errWhole == nil && (!sameMetadata(whole.md, pieces.md) || len(whole.tensors) != len(pieces.tensors)) {
			t.Fatal("the keys or tensors differ")
		}
	})
}
