package gguf

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// member is the bytes of one shard of a set: tensor "t<no>" of 8 floats, all bytes no+1.
func member(no, count, tensors int) []byte {
	f := rawFile{
		keys: []rawKey{
			{"split.no", of(Uint16(uint16(no)))},
			{"split.count", of(Uint16(uint16(count)))},
			{"split.tensors.count", of(Int32(int32(tensors)))},
		},
		tensors: []rawTensor{f32Tensor(fmt.Sprintf("t%d", no), 8, 0)},
		data:    bytes.Repeat([]byte{byte(no + 1)}, 32),
	}
	if no == 0 {
		f.keys = append(f.keys, archKey)
	}
	return f.build()
}

// storeSet writes a set of 3 shards into a new folder; edit changes the files before.
func storeSet(t *testing.T, edit func(files map[string][]byte)) (dir string) {
	t.Helper()
	dir = t.TempDir()
	files := map[string][]byte{}
	for no := range 3 {
		files["m"+memberSuffix(no, 3)] = member(no, 3, 3)
	}
	if edit != nil {
		edit(files)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOpenSet(t *testing.T) {
	dir := storeSet(t, nil)
	for no := range 3 {
		f, err := Open(filepath.Join(dir, "m"+memberSuffix(no, 3)))
		if err != nil {
			t.Fatalf("from shard %d: %v", no+1, err)
		}
		if _, ok := f.Metadata.Get("general.architecture"); !ok || len(f.Tensors) != 3 || len(f.Paths()) != 3 {
			t.Errorf("from shard %d: %d tensors, %d files, keys %v", no+1, len(f.Tensors), len(f.Paths()), f.Metadata.Keys())
		}
		for i := range 3 {
			ts, ok := f.Tensor(fmt.Sprintf("t%d", i))
			if !ok || ts.Shard != i || !bytes.Equal(f.Bytes(ts), bytes.Repeat([]byte{byte(i + 1)}, 32)) {
				t.Errorf("from shard %d: tensor %d is %+v", no+1, i, ts)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenSetRefuses(t *testing.T) {
	names := func(i int) string { return "m" + memberSuffix(i, 3) }
	for _, c := range []struct {
		name string
		edit func(files map[string][]byte)
		open string
		kind error
		want string
	}{
		{"second missing", func(f map[string][]byte) { delete(f, names(1)) }, names(0), ErrNotFound, "1 of 3 shards are missing in its folder: m-00002-of-00003.gguf (download"},
		{"first missing", func(f map[string][]byte) { delete(f, names(0)) }, names(1), ErrNotFound, "m-00001-of-00003.gguf"},
		{"two missing", func(f map[string][]byte) { delete(f, names(0)); delete(f, names(2)) }, names(1), ErrNotFound, "2 of 3 shards are missing in its folder: m-00001-of-00003.gguf, m-00003-of-00003.gguf"},
		{"named otherwise", func(f map[string][]byte) { f["x.gguf"] = f[names(1)] }, "x.gguf", ErrNotFound, "is shard 2 of 3, but its name does not end in -00002-of-00003.gguf"},
		{"named as another", func(f map[string][]byte) { f[names(1)], f[names(2)] = f[names(2)], f[names(1)] }, names(1), ErrCorrupt, "is shard 3 of 3 by its keys, so its name should end in -00003-of-00003.gguf"},
		{"member named as another", func(f map[string][]byte) { f[names(1)] = f[names(2)] }, names(0), ErrCorrupt, "should be shard 2 of 3 by its name, but says that it is 3 of 3"},
		{"member of another set", func(f map[string][]byte) { f[names(1)] = member(1, 4, 4) }, names(0), ErrCorrupt, "says that it is 2 of 4"},
		{"member is whole", func(f map[string][]byte) { f[names(1)] = tensorFile(32, f32Tensor("x", 8, 0)) }, names(0), ErrCorrupt, "says that it is 1 of 0"},
		{"member broken", func(f map[string][]byte) { f[names(2)] = f[names(2)][:50] }, names(0), ErrCorrupt, "m-00003-of-00003.gguf: byte "},
		{"tensor in two shards", func(f map[string][]byte) { f[names(2)] = bytes.Replace(f[names(2)], []byte("t2"), []byte("t0"), 1) }, names(0), ErrCorrupt, `m-00003-of-00003.gguf: byte 106: tensor "t0": is there twice, first in `},
		{"tensor count", func(f map[string][]byte) {
			for i := range 3 {
				f[names(i)] = member(i, 3, 4)
			}
		}, names(0), ErrCorrupt, "split.tensors.count says 4 tensors, the 3 shards have 3"},
		{"member of another model", func(f map[string][]byte) { f[names(1)] = member(1, 3, 4) }, names(0), ErrCorrupt, "m-00002-of-00003.gguf: belongs to a model of 4 tensors"},
		{"number beyond count", func(f map[string][]byte) { f["x.gguf"] = member(3, 3, 3) }, "x.gguf", ErrCorrupt, "split.no 3 and split.count 3 make no sense"},
		{"joined by cat", func(f map[string][]byte) {
			f["x.gguf"] = bytes.Join([][]byte{f[names(0)], f[names(1)], f[names(2)]}, nil)
		}, "x.gguf", ErrCorrupt, "this is shard 1 of 3 with others joined to it, as cat does"},
		{"joined under a shard's name", func(f map[string][]byte) {
			f[names(0)] = append(bytes.Clone(f[names(0)]), f[names(1)]...)
		}, names(0), ErrCorrupt, "this is shard 1 of 3 with others joined"},
		{"count is text", func(f map[string][]byte) { f["x.gguf"] = keyFile(rawKey{"split.count", rawStr("3")}) }, "x.gguf", ErrCorrupt, `key "split.count" is a str`},
	} {
		dir := storeSet(t, c.edit)
		f, err := Open(filepath.Join(dir, c.open))
		if err == nil {
			f.Close()
			t.Errorf("%s: was opened", c.name)
		} else if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), dir) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestManyMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m"+memberSuffix(0, 65535))
	os.WriteFile(path, member(0, 65535, 65535), 0o600)
	_, err := Open(path)
	if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "65534 of 65535 shards") || !strings.Contains(err.Error(), "and 65529 more") || len(err.Error()) > 500 {
		t.Errorf("%v", err)
	}
}

// TestWholeSplit pins that count 0 (what merging leaves) and 1 mean a whole file, of any name.
func TestWholeSplit(t *testing.T) {
	for count := range 2 {
		f, err := Open(store(t, "x.gguf", member(0, count, 1)))
		if err != nil {
			t.Fatalf("count %d: %v", count, err)
		}
		f.Close()
	}
}

func TestParseShardInMemory(t *testing.T) {
	if _, err := Parse("m.gguf", member(1, 3, 3)); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "m.gguf: is shard 2 of 3") {
		t.Errorf("%v", err)
	}
}

// TestNames opens a file through path names that systems and shells find hard.
func TestNames(t *testing.T) {
	for _, name := range []string{"a b.gguf", "日本語.gguf", "e\u0301.gguf", "new\nline.gguf", "\xff\xfe.gguf", "-x.gguf"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, sampleBytes(t), 0o600); err != nil {
			t.Logf("%q: not possible here: %v", name, err)
			continue
		}
		f, err := Open(path)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		f.Close()
		if _, err := Open(path + "x"); err == nil || !oneLine.MatchString(err.Error()) {
			t.Errorf("%q: %q is not one line", name, err)
		}
	}
}
