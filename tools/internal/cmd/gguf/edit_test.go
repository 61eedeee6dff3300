package gguf

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/tools/internal/run"
)

// copyOf puts a copy of a file into a new folder.
func copyOf(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "m.gguf")
	if err := os.WriteFile(out, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return out
}

// weights is the digest of the weights of a file.
func weights(t testing.TB, path string) string {
	t.Helper()
	got := exec(t, "hash", "--sha256", "--no-layer", path)
	if got.code != 0 {
		t.Fatal(got.err)
	}
	return strings.Fields(got.out)[1]
}

// TestEdit changes a copy of the demo model again and again; the weights stay what they are, and so do other keys.
func TestEdit(t *testing.T) {
	path, template := copyOf(t, demo), filepath.Join(t.TempDir(), "t.jinja")
	if err := os.WriteFile(template, []byte("{% for m in messages %}{{ m.content }}{% endfor %}"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, place := weights(t, path), "(in place)"
	for _, c := range []struct {
		args       []string
		said, show string // printed by the change; by --kv afterwards
	}{
		{[]string{"set", path, "general.name", "Demi"}, "str Demo -> str Demi " + place, "general.name  str   Demi"},
		{[]string{"set", path, "general.name", "A longer name"}, "(the file was written anew)", "general.name  str   A longer name"},
		{[]string{"set", path, "general.sampling.temp", "0.25"}, "f32 0.7 -> f32 0.25 " + place, "temp   f32   0.25"},
		{[]string{"set", path, "x.count", "-3"}, "x.count: new, i32 -3", "x.count  i32   -3"},
		{[]string{"set", path, "x.count", "7", "--type", "u64"}, "i32 -3 -> u64 7", "x.count  u64   7"},
		{[]string{"set", path, "x.tags", `["a","b\n"]`, "--type", "arr[str]"}, "x.tags: new, arr[str,2]", `["a", "b\n"]`},
		{[]string{"set", path, "x.tags", `["c"]`}, "-> arr[str,1]", `["c"]`},
		{[]string{"rename", path, "x.tags", "x.word"}, "key x.tags is now x.word " + place, "x.word  arr[str,1]"},
		{[]string{"rename", path, "general.size_label", "general.size"}, "written anew", "general.size "},
		{[]string{"rm", path, "x.count"}, "x.count: u64 7 removed", ""},
		{[]string{"set", path, "general.alignment", "64"}, "u32 64", "general.alignment  u32   64"},
		{[]string{"add-template", path, template}, "tokenizer.chat_template", "{% for m in messages %}"},
		{[]string{"add-template", path, template, "--name", "tool_use"}, "tokenizer.chat_template.tool_use: new", `["tool_use"]`},
		{[]string{"rename", path, "output_norm.weight", "output_mean.weight", "--force"}, "is now output_mean.weight " + place, ""},
	} {
		got := exec(t, c.args...)
		if got.code != 0 || got.out != path+"\n" || !strings.Contains(got.err, c.said) {
			t.Errorf("%q: code %d, %q, %q", c.args[:1], got.code, got.out, got.err)
		}
		if shown := exec(t, path, "--kv", "*"); !strings.Contains(squeeze(shown.out), squeeze(c.show)) {
			t.Errorf("%q: afterwards\n%.3000s", c.args[:1], shown.out)
		}
		if after := weights(t, path); after != before {
			t.Fatalf("%q changed the weights", c.args[:1])
		}
	}
	got := exec(t, "diff", demo, path)
	if want := "differ in 9 of 34 keys and 2 of 69 tensors"; got.code != 1 || !strings.Contains(got.err, want) {
		t.Errorf("%s%s", got.out, got.err)
	}
	leftNothing(t, path)
}

// squeeze makes one blank of many: columns move.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// leftNothing wants the file to be alone in its folder.
func leftNothing(t *testing.T, path string) {
	t.Helper()
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
}

// TestEditRefuses pins what is not done, and that the file stays as it was, byte for byte.
func TestEditRefuses(t *testing.T) {
	path := copyOf(t, demo)
	link := filepath.Join(t.TempDir(), "link.gguf")
	if err := os.Symlink(path, link); err != nil {
		link = path
	}
	broken := filepath.Join(t.TempDir(), "broken.jinja")
	if err := os.WriteFile(broken, []byte("a\n{% if %}"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"rm", path, "none"}, 1, `no key "none"`},
		{[]string{"rm", path, "general.architecture"}, 1, "--force"},
		{[]string{"rm", path, "tokenizer.ggml.tokens"}, 1, "the tokenizer could not be used"},
		{[]string{"rename", path, "general.architecture", "x"}, 1, "--force"},
		{[]string{"rename", path, "general.name", "general.type"}, 1, "there already"},
		{[]string{"rename", path, "token_embd.weight", "output_norm.weight"}, 1, "there already"},
		{[]string{"rename", path, "none", "x"}, 1, `no key or tensor "none"`},
		{[]string{"rename", path, "output_norm.weight", "x"}, 1, "reads tensor output_norm.weight"},
		{[]string{"rename", path, "output_norm.weight", strings.Repeat("x", 64), "--force"}, 1, "64 bytes"},
		{[]string{"rename", path, "general.name", ""}, 1, "1 to 65535 bytes"},
		{[]string{"set", path, "split.count", "2"}, 1, "belongs to the set of shards"},
		{[]string{"set", path, "general.alignment", "24"}, 1, "power of two"},
		{[]string{"set", path, "general.alignment", "32", "--type", "i32"}, 1, "power of two"},
		{[]string{"set", path, "qwen3.block_count", "7"}, 1, "blk.6."},
		{[]string{"set", path, "qwen3.block_count", "six"}, 1, `"six" is no u32`},
		{[]string{"set", path, "tokenizer.ggml.tokens", `["a"]`}, 1, "the tokenizer could not be used"},
		{[]string{"set", path, "tokenizer.chat_template", "{{ x"}, 1, "the chat template could not be used"},
		{[]string{"set", path, "k", "1", "--type", "u33"}, 2, `"u33" is no type`},
		{[]string{"add-template", path, broken}, 1, "broken.jinja:2:7: "},
		{[]string{"add-template", path, filepath.Join(path, "none")}, 1, "none"},
		{[]string{"set", path, "k", "1", "-o", path}, 1, "is the input"},
		{[]string{"set", path, "k", "1", "-o", link}, 1, "is the input"},
		{[]string{"set", path, "k", "1", "-o", filepath.Join(path, "x")}, 1, "x"},
		{[]string{"set", path, "k", "1", "-o", filepath.Dir(path)}, 1, "folder"},
	} {
		got := exec(t, c.args...)
		if got.code != c.code || !strings.Contains(got.err, c.want) || got.out != "" || strings.Count(got.err, "\n") != 1 {
			t.Errorf("%q: code %d, %q, want %q; printed %q", c.args, got.code, got.err, c.want, got.out)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file changed (%v)", err)
	}
	leftNothing(t, path)
}

func TestTemplateFromStdin(t *testing.T) {
	path := copyOf(t, demo)
	if got := execWith(t.Context(), "{{ 1 }}\n", "add-template", path, "-"); got.code != 0 {
		t.Fatal(got.err)
	}
	if got := exec(t, path, "--template"); got.out != "{{ 1 }}\n" {
		t.Errorf("%q", got.out)
	}
	if got := execWith(t.Context(), "", "add-template", path, "-"); got.code != 1 || !strings.Contains(got.err, "is empty") {
		t.Errorf("%+v", got)
	}
}

// storeShards writes a set of two shards and returns the path of the second.
func storeShards(t testing.TB, dir string) string {
	t.Helper()
	path := ""
	for no := range 2 {
		keys := []any{"split.no", gguf.Uint16(uint16(no)), "split.count", gguf.Uint16(2), "split.tensors.count", gguf.Int32(2)}
		if no == 0 {
			keys = append(keys, "general.architecture", gguf.String("x"), "general.name", gguf.String("N"))
		}
		path = store(t, gguf.ShardPath(filepath.Join(dir, "m"), no, 2), keys, tensor{[]string{"a", "b"}[no], quant.F32, []int{2}, floats(1, float32(no))})
	}
	return path
}

// TestEditShards finds the shard that a change belongs to, and writes a whole set with -o.
func TestEditShards(t *testing.T) {
	dir := t.TempDir()
	second := storeShards(t, dir)
	before := weights(t, second)
	for _, args := range [][]string{
		{"set", second, "general.name", "A new name for it"}, {"rename", second, "b", "a tensor with a longer name"},
		{"set", second, "general.url", "u", "-o", filepath.Join(dir, "copy.gguf")},
	} {
		if got := exec(t, args...); got.code != 0 {
			t.Fatalf("%q: %s", args, got.err)
		}
	}
	copied := gguf.ShardPath(filepath.Join(dir, "copy"), 1, 2)
	for _, path := range []string{second, copied} {
		got := exec(t, path)
		if weights(t, path) != before || !strings.Contains(got.out, "A new name for it") || !strings.Contains(got.out, "a tensor with a longer name") {
			t.Errorf("%s: %s%s", path, got.out, got.err)
		}
	}
	if has := strings.Contains(exec(t, copied).out, "general.url"); !has || strings.Contains(exec(t, second).out, "general.url") {
		t.Error("-o changed the input")
	}
}

// TestReadOnly changes neither a file that is marked read-only nor one in a folder where none can be made. (Root may do
// all of it.)
func TestReadOnly(t *testing.T) {
	path := copyOf(t, demo)
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
		f.Close()
		t.Skip("this user may write everywhere")
	}
	for _, value := range []string{"Demi", "a longer name"} {
		if got := exec(t, "set", path, "general.name", value); got.code != 1 || !strings.Contains(got.err, "permission denied") {
			t.Errorf("%+v", got)
		}
	}
	leftNothing(t, path)
}

func TestEditInterrupted(t *testing.T) {
	path := copyOf(t, demo)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := execWith(ctx, "", "set", path, "general.name", "a longer name"); got.code != run.Interrupted || got.out != "" {
		t.Errorf("%+v", got)
	}
	leftNothing(t, path)
}
