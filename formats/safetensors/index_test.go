package safetensors

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// one is a file of one F32 tensor per "name=value".
func one(t *testing.T, tensors ...string) []byte {
	var all []TensorData
	for _, s := range tensors {
		name, value, _ := strings.Cut(s, "=")
		all = append(all, TensorData{name, F32, []int{1}, f32(float32(len(value)))})
	}
	return written(t, all, map[string]string{"first": tensors[0]})
}

func index(pairs ...string) []byte {
	var list []string
	for _, p := range pairs {
		tensor, file, _ := strings.Cut(p, "=")
		list = append(list, fmt.Sprintf("%q: %q", tensor, file))
	}
	return []byte(`{"metadata": {"total_size": 8, "x": [1, {"y": "}"}]}, "weight_map": {` + strings.Join(list, ", ") + "}}\n")
}

// folder writes files and returns their folder.
func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		os.MkdirAll(filepath.Dir(path), 0o700)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	shard1 = "model-00001-of-00002.safetensors"
	shard2 = "model-00002-of-00002.safetensors"
)

func TestOpenModels(t *testing.T) {
	for _, c := range []struct {
		name, open string
		files      map[string][]byte
		want       string // tensors@part
	}{
		{"one file", "", map[string][]byte{"model.safetensors": one(t, "a=1")}, "a@0"},
		{"one file of another name", "", map[string][]byte{"weights.safetensors": one(t, "a=1"), "config.json": nil, ".hidden.safetensors": nil}, "a@0"},
		{"model beside others", "", map[string][]byte{"model.safetensors": one(t, "a=1"), "adapter.safetensors": one(t, "b=1"), "model-x.safetensors": one(t, "c=1")}, "a@0"},
		{"given by name", "weights.safetensors", map[string][]byte{"weights.safetensors": one(t, "w=1"), "model.safetensors": one(t, "a=1")}, "w@0"},
		{"given without suffix", "w", map[string][]byte{"w": one(t, "w=1")}, "w@0"},
		{"index in a folder", "", map[string][]byte{indexFile: index("a="+shard1, "b="+shard2), shard1: one(t, "a=1"), shard2: one(t, "b=1"), "other.safetensors": one(t, "c=1")}, "a@0 b@1"},
		{"index given", indexFile, map[string][]byte{indexFile: index("b="+shard2, "a="+shard1), shard1: one(t, "a=1"), shard2: one(t, "b=1")}, "a@0 b@1"},
		{"index of another name", "x.safetensors.index.json", map[string][]byte{"x.safetensors.index.json": index("a=sub/" + shard1), "sub/" + shard1: one(t, "a=1"), "model.safetensors": one(t, "b=1")}, "a@0"},
		{"index of the whole file", "", map[string][]byte{indexFile: index("a=model.safetensors"), "model.safetensors": one(t, "a=1")}, "a@0"},
		{"tensor that the index leaves out", "", map[string][]byte{indexFile: index("a=" + shard1), shard1: one(t, "a=1", "extra=1")}, "a@0 extra@0"},
		{"tensor in another shard", "", map[string][]byte{indexFile: index("a="+shard2, "b="+shard1, "c="+shard2), shard1: one(t, "a=1", "b=1"), shard2: one(t, "c=1")}, "a@0 b@0 c@1"},
		{"shards without index", "", map[string][]byte{shard2: one(t, "b=1"), shard1: one(t, "a=1"), "zz.safetensors": one(t, "z=1")}, "a@0 b@1"},
		{"equal tensor in two shards", "", map[string][]byte{indexFile: index("a="+shard1, "b="+shard2, "e="+shard2), shard1: one(t, "a=1", "e=1"), shard2: one(t, "b=1", "e=1")}, "a@0 e@0 b@1"},
	} {
		f, err := Open(filepath.Join(folder(t, c.files), c.open))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		readAll(f)
		var got []string
		for _, ts := range f.Tensors() {
			got = append(got, fmt.Sprintf("%s@%d", ts.Name, ts.Part))
		}
		if strings.Join(got, " ") != c.want || f.Metadata()["first"] == "" || len(f.Paths()) == 0 {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	a, b := one(t, "a=1"), one(t, "b=1")
	both := index("a="+shard1, "b="+shard2)
	for _, c := range []struct {
		name  string
		files map[string][]byte
		kind  error
		want  string
	}{
		{"empty folder", nil, ErrNotFound, "no .safetensors file in this folder"},
		{"PyTorch weights", map[string][]byte{"pytorch_model.bin": nil}, ErrNotFound, "it holds PyTorch weights"},
		{"GGUF", map[string][]byte{"m.gguf": nil}, ErrNotFound, "it holds GGUF files"},
		{"two unknown", map[string][]byte{"x.safetensors": a, "y.safetensors": b}, ErrUnsupported, "there are 2 .safetensors files"},
		{"shard missing", map[string][]byte{indexFile: both, shard1: a}, ErrNotFound, "1 of 2 weight files are missing: " + shard2},
		{"all missing", map[string][]byte{indexFile: both}, ErrNotFound, "2 of 2 weight files are missing: " + shard1 + ", " + shard2},
		{"shard missing without index", map[string][]byte{shard2: b}, ErrNotFound, "1 of 2 weight files are missing: " + shard1},
		{"shard of a lone set missing", map[string][]byte{"x-00002-of-00003.safetensors": b}, ErrNotFound, "2 of 3 weight files are missing: x-00001-of-00003.safetensors, x-00003-of-00003.safetensors"},
		{"shard broken", map[string][]byte{indexFile: both, shard1: a, shard2: b[:20]}, ErrCorrupt, shard2 + ": byte 0: a header of"},
		{"shard is a folder", map[string][]byte{indexFile: both, shard1: a, shard2 + "/x": b}, nil, shard2 + ": is a folder"},
		{"tensor missing", map[string][]byte{indexFile: index("a="+shard1, "b="+shard2, "c="+shard2), shard1: a, shard2: b}, ErrNotFound, `tensor "c" should be in ` + shard2 + ", but no file has it"},
		{"unequal tensor in two shards", map[string][]byte{indexFile: both, shard1: one(t, "a=1", "e=1"), shard2: one(t, "b=1", "e=22")}, ErrCorrupt, `tensor "e" is also in `},
		{"other shape in two shards", map[string][]byte{indexFile: both, shard1: a, shard2: written(t, []TensorData{{"a", F32, []int{1, 1}, f32(1)}}, nil)}, ErrCorrupt, "F32 [1 1] here, F32 [1] there"},
		{"index and another model", map[string][]byte{indexFile: both, shard1: a, shard2: b, "model.safetensors": a}, ErrUnsupported, "also holds model.safetensors"},
		{"index empty", map[string][]byte{indexFile: nil}, ErrCorrupt, "byte 0: the JSON ends where '{' should be"},
		{"index without map", map[string][]byte{indexFile: []byte(`{"metadata":{}}`)}, ErrCorrupt, "no weight_map"},
		{"index with two maps", map[string][]byte{indexFile: []byte(`{"weight_map":{"a":"b"},"weight_map":{}}`)}, ErrCorrupt, "weight_map is there twice"},
		{"index goes on", map[string][]byte{indexFile: append(slices.Clone(both), '!')}, ErrCorrupt, "goes on behind its JSON"},
		{"index names a tensor twice", map[string][]byte{indexFile: index("a="+shard1, "a="+shard2)}, ErrCorrupt, `tensor "a" is there twice`},
		{"index leads out", map[string][]byte{indexFile: index("a=../" + shard1)}, ErrCorrupt, `file "../` + shard1 + `" is not in the folder`},
		{"index leads to the root", map[string][]byte{indexFile: index("a=/etc/passwd")}, ErrCorrupt, `file "/etc/passwd" is not in the folder`},
		{"index names nothing", map[string][]byte{indexFile: index("a=")}, ErrCorrupt, `file "" is not in the folder`},
		{"index of numbers", map[string][]byte{indexFile: []byte(`{"weight_map":{"a":1}}`)}, ErrCorrupt, "byte 19: JSON"},
	} {
		dir := folder(t, c.files)
		f, err := Open(dir)
		if err == nil {
			f.Close()
			t.Errorf("%s: was opened", c.name)
		} else if !strings.Contains(err.Error(), c.want) || c.kind != nil && !errors.Is(err, c.kind) || !strings.HasPrefix(err.Error(), dir) || !oneLine.MatchString(err.Error()) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, ErrNotFound) {
		t.Errorf("absent: %v", err)
	}
}

func TestManyMissing(t *testing.T) {
	files := map[string][]byte{"model-00001-of-99999.safetensors": one(t, "a=1")}
	_, err := Open(folder(t, files))
	if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "and 99993 more") {
		t.Errorf("%v with %v", err, slices.Collect(maps.Keys(files)))
	}
}
