package convert

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/run"
)

// folder is the small model of the package that does the work.
const folder = "../../../../formats/hf/testdata/qwen3"

// result is what a run printed, and its exit code.
type result struct {
	code     int
	out, err string
}

func exec(ctx context.Context, args ...string) result {
	var out, errs bytes.Buffer
	code := run.Exec(ctx, Command("llama-convert"), run.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}, args)
	return result{code, out.String(), errs.String()}
}

func TestConvert(t *testing.T) {
	dir := t.TempDir()
	metadata := filepath.Join(dir, "metadata.json")
	if err := os.WriteFile(metadata, []byte(`{"general.author":"Somebody"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		file string // in dir
		err  string
	}{
		{"folder", []string{folder, "--outfile", dir, "--outtype", "f16"}, "Tiny-Qwen-1.3K-F16.gguf", ""},
		{"placeholders", []string{folder, "--outfile", filepath.Join(dir, "x-{ftype}-{OUTTYPE}.gguf"), "--outtype", "bf16"}, "x-bf16-BF16.gguf", ""},
		{"auto", []string{"--outfile=" + filepath.Join(dir, "{}.gguf"), folder}, "f16.gguf", ""},
		{"note", []string{folder, "--outfile", filepath.Join(dir, "q.gguf"), "--outtype", "q8_0"}, "q.gguf", "note: rows of 7 of 13 tensors"},
		{"vocabulary", []string{folder, "--vocab-only", "--outfile", dir}, "Tiny-Qwen-vocab.gguf", ""},
		{"named", []string{folder, "--outfile", dir, "--outtype", "f32", "--model-name", "Other Name", "--metadata", metadata}, "Other-Name-1.3K-F32.gguf", ""},
		{"verbose", []string{folder, "--outfile", filepath.Join(dir, "v.gguf"), "-v"}, "v.gguf", "blk.0.ffn_up.weight"},
	} {
		got := exec(t.Context(), c.args...)
		if path := filepath.Join(dir, c.file); got.code != 0 || got.out != path+"\n" {
			t.Errorf("%s: code %d, printed %q, want %q; %s", c.name, got.code, got.out, path, got.err)
			continue
		}
		if c.err == "" && got.err != "" || !strings.Contains(got.err, c.err) {
			t.Errorf("%s: stderr %q, want %q", c.name, got.err, c.err)
		}
	}
	f, err := gguf.Open(filepath.Join(dir, "Other-Name-1.3K-F32.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	author, _ := f.Metadata.Get("general.author")
	if text, _ := author.Str(); text != "Somebody" {
		t.Errorf("author %q", text)
	}
}

func TestDryRun(t *testing.T) {
	dir := t.TempDir()
	got := exec(t.Context(), folder, "--dry-run", "--outfile", dir)
	if got.code != 0 || !strings.Contains(got.out, "13 tensors") || !strings.Contains(got.out, "token_embd.weight") || !strings.Contains(got.out, "nothing was written") {
		t.Errorf("code %d, %s%s", got.code, got.out, got.err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("the folder holds %v", entries)
	}
}

func TestWrongUse(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.json")
	if err := os.WriteFile(bad, []byte(`[]`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		err  string
	}{
		{nil, 2, "llama-convert: give one model folder, not 0 arguments"},
		{[]string{"a", "b"}, 2, "not 2 arguments"},
		{[]string{folder, "--outtype", "q3"}, 2, "q3"},
		{[]string{folder, "--outtyp", "f16"}, 2, "did you mean --outtype?"},
		{[]string{dir, "--outfile", dir}, 1, "no config.json"},
		{[]string{filepath.Join(dir, "none")}, 1, "none"},
		{[]string{bad}, 1, "not a folder"},
		{[]string{folder, "--metadata", bad}, 1, "bad.json: want a JSON object"},
		{[]string{folder, "--outfile", filepath.Join(dir, "no", "x.gguf")}, 1, "x.gguf"},
	} {
		got := exec(t.Context(), c.args...)
		if got.code != c.code || !strings.Contains(got.err, c.err) || got.out != "" || strings.Count(got.err, "\n") != 1 {
			t.Errorf("%q: code %d, want %d; stderr %q, want %q; stdout %q", c.args, got.code, c.code, got.err, c.err, got.out)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the folder holds %v", entries)
	}
}

// TestInterrupted leaves no file behind.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := exec(ctx, folder, "--outfile", dir); got.code != run.Interrupted || got.out != "" {
		t.Errorf("code %d, printed %q; %s", got.code, got.out, got.err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("the folder holds %v", entries)
	}
}

// TestReadOnly cannot write into a folder without the right to. (Root can.)
func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	if probe, err := os.Create(filepath.Join(dir, "probe")); err == nil {
		probe.Close()
		t.Skip("this user may write everywhere")
	}
	if got := exec(t.Context(), folder, "--outfile", dir); got.code != 1 || !strings.Contains(got.err, "permission denied") {
		t.Errorf("code %d; %s", got.code, got.err)
	}
}

func TestHelp(t *testing.T) {
	got := exec(t.Context(), "-h")
	for _, text := range []string{"Conversion", "--outtype", "--vocab-only", "Information", "--dry-run"} {
		if !strings.Contains(got.out, text) {
			t.Errorf("the help has no %q:\n%s", text, got.out)
		}
	}
	got = exec(t.Context(), "--list")
	for _, text := range []string{"architecture", "deepseek2", "DeepseekV3ForCausalLM", "round trip"} {
		if !strings.Contains(got.out, text) {
			t.Errorf("the list has no %q:\n%s", text, got.out)
		}
	}
	if got := exec(t.Context(), "--print-supported-models"); !strings.Contains(got.out, "Qwen3ForCausalLM\n") {
		t.Errorf("%s", got.out)
	}
}
