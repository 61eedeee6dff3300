package gguf

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

// TestPatch pins what is changed in place, that only that changes, and what is left to be written anew.
func TestPatch(t *testing.T) {
	for _, c := range []struct {
		name  string
		patch bool
		edit  func(md *Metadata, names []string)
	}{
		{"nothing", true, func(*Metadata, []string) {}},
		{"number", true, func(md *Metadata, _ []string) { md.Set("scalar.u32", Uint32(7)) }},
		{"text of the same length", true, func(md *Metadata, _ []string) { md.Set("general.architecture", String("qwen2")) }},
		{"name of the same length", true, func(_ *Metadata, names []string) { names[0] = "token_embd.wait.." }},
		{"two ends of the header", false, func(md *Metadata, _ []string) {
			md.Set("general.architecture", String("qwen2"))
			md.Set("nested", ArrayOf(TypeArray, []Value{Uint32s([]uint32{1, 2}), Strings([]string{"b", ""}), ArrayOf(TypeArray, []Value{Bools([]bool{true})})}))
		}},
		{"longer text", false, func(md *Metadata, _ []string) { md.Set("general.architecture", String(strings.Repeat("x", 100))) }},
		{"new key", false, func(md *Metadata, _ []string) { md.Set("k", Uint8(1)) }},
		{"alignment", false, func(md *Metadata, _ []string) { md.Set(alignmentKey, Uint32(64)) }},
	} {
		before := sampleBytes(t)
		path := store(t, "m.gguf", before)
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		md, names := f.ShardMetadata(0).Clone(), make([]string, len(f.Tensors))
		for i := range f.Tensors {
			names[i] = f.Tensors[i].Name
		}
		c.edit(md, names)
		done, err := f.Patch(0, md, names)
		if done != c.patch || err != nil {
			t.Errorf("%s: done %t, want %t, %v", c.name, done, c.patch, err)
		}
		f.Close()
		after, err := os.ReadFile(path)
		if !done && !bytes.Equal(before, after) || len(before) != len(after) || err != nil {
			t.Errorf("%s: the file changed (%v)", c.name, err)
			continue
		}
		if done {
			checkPatched(t, c.name, path, md, names)
		}
	}
}

func checkPatched(t *testing.T, name, path string, md *Metadata, names []string) {
	t.Helper()
	_, _, data := sample()
	f, err := Open(path)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	defer f.Close()
	if !sameMetadata(f.Metadata, md) {
		t.Errorf("%s: the keys are not the new ones", name)
	}
	for i := range f.Tensors {
		if f.Tensors[i].Name != names[i] || !bytes.Equal(f.Bytes(&f.Tensors[i]), data[i]) {
			t.Errorf("%s: tensor %d is wrong", name, i)
		}
	}
}

func TestPatchRefuses(t *testing.T) {
	path := store(t, "m.gguf", sampleBytes(t))
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	md := f.Metadata.Clone()
	if _, err := f.Patch(0, md, []string{strings.Repeat("n", 64), "", "b", "c"}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("a name of 64 bytes: %v", err)
	}
	md.Set(alignmentKey, Int32(32))
	if done, err := f.Patch(0, md, nil); !errors.Is(err, ErrCorrupt) || done {
		t.Errorf("an alignment of the wrong type: %t, %v", done, err)
	}
	other := append(sampleBytes(t)[:32:32], make([]byte, 4096)...)
	if err := os.WriteFile(path+"2", other, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := overwrite(path+"2", 40, []byte("abc"), []byte("def")); err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("a file that changed: %v", err)
	}
	if err := overwrite(filepath.Join(path, "none"), 0, nil, nil); err == nil {
		t.Error("a file that is not there")
	}
}

// TestPatchOddFile leaves a file alone that this package would have written in another way, and patches one with gaps.
func TestPatchOddFile(t *testing.T) {
	gap := rawFile{version: 2, keys: []rawKey{archKey}, tensors: []rawTensor{f32Tensor("b", 8, 64), f32Tensor("a", 8, 0)}, data: make([]byte, 96)}.build()
	scalar := rawFile{keys: []rawKey{archKey}, tensors: []rawTensor{{"s", nil, uint32(quant.F32), 0}}, data: make([]byte, 4)}.build()
	for _, c := range []struct {
		name  string
		data  []byte
		names []string
		want  bool
	}{{"gaps", gap, []string{"b", "a"}, true}, {"no dimensions", scalar, []string{"s"}, false}} {
		path := store(t, "m.gguf", c.data)
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		md := f.Metadata.Clone()
		md.Set("general.architecture", String("qwen2"))
		if done, err := f.Patch(0, md, c.names); done != c.want || err != nil {
			t.Errorf("%s: %t, %v", c.name, done, err)
		}
		f.Close()
		after, _ := os.ReadFile(path)
		if want := bytes.Replace(c.data, []byte("llama"), []byte("qwen2"), 1); c.want && !bytes.Equal(after, want) {
			t.Errorf("%s: more than the text changed", c.name)
		}
	}
}
