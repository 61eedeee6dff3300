package safetensors

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzParse wants no panic, memory bounded by the input, one printable line for an error, and for what is accepted that
// everything can be read and that writing and reading it again gives the same tensors.
func FuzzParse(f *testing.F) {
	for _, c := range refusals() {
		if len(c.data) < 1<<12 {
			f.Add(c.data)
		}
	}
	f.Add(written(f, sample(), map[string]string{"format": "pt"}))
	f.Add(entries(8, entry("a", "F32", "[2]", 0, 8), entry("b", "F32", "[2]", 0, 8)))
	f.Fuzz(func(t *testing.T, data []byte) {
		before := allocated()
		file, err := Parse("fuzz", data)
		if cost := allocated() - before; cost > 1<<20+64*uint64(len(data)) {
			t.Fatalf("%d bytes cost %d", len(data), cost)
		}
		if err != nil {
			if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnsupported) || !oneLine.MatchString(err.Error()) {
				t.Fatalf("error %q", err)
			}
			return
		}
		readAll(file)
		first := written(t, contents(file), file.Metadata())
		again, err := Parse("again", first)
		if err != nil {
			t.Fatalf("reading what was written: %v", err)
		}
		if second := written(t, contents(again), again.Metadata()); !bytes.Equal(first, second) {
			t.Fatal("written twice it differs")
		}
	})
}

// FuzzIndex wants no panic and no path out of the folder.
func FuzzIndex(f *testing.F) {
	f.Add(index("a="+shard1, "b="+shard2))
	f.Add([]byte(`{"weight_map":{"a":"../x"}}`))
	f.Add([]byte(`{"weight_map":{"a":"x","a":"y"},"metadata":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		places, err := parseIndex("index", data)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnsupported) || !oneLine.MatchString(err.Error()) {
				t.Fatalf("error %q", err)
			}
			return
		}
		for _, name := range fileNames(places) {
			if in := filepath.Join("/folder", name); !strings.HasPrefix(in, "/folder/") && in != "/folder" {
				t.Fatalf("file %q is accepted", name)
			}
		}
	})
}
