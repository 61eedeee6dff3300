package convert

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// TestSplit writes several files, which are one model again.
func TestSplit(t *testing.T) {
	dir := t.TempDir()
	got := exec(t.Context(), folder, "--outfile", filepath.Join(dir, "m.gguf"), "--split-max-tensors", "5", "--outtype", "f32")
	if want := filepath.Join(dir, "m-00001-of-00003.gguf"); got.code != 0 || !strings.HasPrefix(got.out, want+"\n") || strings.Count(got.out, "\n") != 3 {
		t.Fatalf("code %d, printed %q, want %q first; %s", got.code, got.out, want, got.err)
	}
	f, err := gguf.Open(filepath.Join(dir, "m-00002-of-00003.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if count := f.Metadata.Reader("split").IntOr("count", 0); len(f.Tensors) != 13 || count != 3 {
		t.Errorf("%d tensors, split.count %d", len(f.Tensors), count)
	}
	if got := exec(t.Context(), folder, "--outfile", filepath.Join(dir, "m.gguf"), "--dry-run", "--no-tensor-first-split"); !strings.Contains(got.out, "m-00001-of-00002.gguf: 0 tensors") {
		t.Errorf("%s%s", got.out, got.err)
	}
}

// TestRemote converts a repository on a server, with and without an index, and leaves no download behind.
func TestRemote(t *testing.T) {
	index := `{"weight_map":{"model.norm.weight":"model-00001-of-00001.safetensors"}}`
	files, asked := os.DirFS(folder), ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.Path, "/owner/Tiny-Qwen/resolve/v1/")
		switch asked += name + " "; {
		case !ok:
			http.NotFound(w, r)
		case name == indexFile && index != "":
			http.ServeContent(w, r, name, time.Time{}, strings.NewReader(index))
		case name == "model-00001-of-00001.safetensors" && index != "":
			http.ServeFileFS(w, r, files, "model.safetensors")
		default:
			http.ServeFileFS(w, r, files, name)
		}
	}))
	defer server.Close()
	t.Setenv("HF_ENDPOINT", server.URL)
	t.Setenv("HF_TOKEN", "")
	for _, c := range []struct {
		name, index, file, err string
		args                   []string
	}{
		{"index", index, "Tiny-Qwen-1.3K-F16.gguf", "", nil},
		{"one file", "", "Tiny-Qwen-1.3K-F16.gguf", "", nil},
		{"vocabulary", "", "Tiny-Qwen-vocab.gguf", "", []string{"--vocab-only"}},
		{"other names", `{"weight_map":{"a":"../model.safetensors"}}`, "", `"../model.safetensors" is not the name of a .safetensors file`, nil},
		{"no shard", `{"weight_map":{"a":"model-00002-of-00002.safetensors"}}`, "", "model-00002-of-00002.safetensors: not found", nil},
	} {
		dir := t.TempDir()
		index, asked = c.index, ""
		got := exec(t.Context(), append(c.args, "--remote", "owner/Tiny-Qwen@v1", "--outfile", dir)...)
		if c.err != "" && (got.code != 1 || !strings.Contains(got.err, c.err)) {
			t.Errorf("%s: code %d, %s, want %q", c.name, got.code, got.err, c.err)
		}
		if c.err == "" && (got.code != 0 || got.out != filepath.Join(dir, c.file)+"\n") {
			t.Errorf("%s: code %d, printed %q; %s", c.name, got.code, got.out, got.err)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != strings.Count(got.out, "\n") {
			t.Errorf("%s: the folder holds %v", c.name, entries)
		}
		if strings.Contains(asked, "model.safetensors ") && c.name == "vocabulary" {
			t.Errorf("%s: asked for %s", c.name, asked)
		}
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
		{[]string{folder, "--mmproj"}, 2, "--mmproj: parts of models that see or hear are not converted"},
		{[]string{folder, "--split-max-size", "1K", "--split-max-tensors", "2"}, 2, "cannot be used together"},
		{[]string{folder, "--split-max-size", "lots"}, 2, "lots"},
		{[]string{"../up", "--remote"}, 2, "is no repository"},
		{[]string{"a/b", "--remote", "--dry-run"}, 2, "--dry-run needs the weights"},
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
