package gguf

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

const (
	demo = "../../../../engine/demo/demo.gguf"
	tiny = "../../../../formats/gguf/testdata/tiny.gguf"
)

// result is what a run printed, and its exit code.
type result struct {
	code     int
	out, err string
}

func exec(t testing.TB, args ...string) result { return execWith(t.Context(), "", args...) }

func execWith(ctx context.Context, stdin string, args ...string) result {
	var out, errs bytes.Buffer
	code := run.Exec(ctx, Command("llama-gguf"), run.Streams{In: strings.NewReader(stdin), Out: &out, Err: &errs}, args)
	return result{code, out.String(), errs.String()}
}

// tensor is one of a file that a test writes.
type tensor struct {
	name  string
	typ   quant.Type
	shape []int
	data  []byte // nil: zeros
}

// store writes a file with keys (name, value, name, value, ...) and tensors.
func store(t testing.TB, path string, keys []any, tensors ...tensor) string {
	t.Helper()
	md := gguf.NewMetadata()
	for i := 0; i < len(keys); i += 2 {
		md.Set(keys[i].(string), keys[i+1].(gguf.Value))
	}
	infos := make([]gguf.TensorInfo, len(tensors))
	for i, x := range tensors {
		infos[i] = gguf.TensorInfo{Name: x.name, Type: x.typ, Shape: x.shape}
	}
	w, err := gguf.Create(path, md, infos)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range tensors {
		if x.data == nil {
			info := infos[i]
			n := info.Type.RowBytes(info.Shape[0])
			for _, d := range info.Shape[1:] {
				n *= d
			}
			x.data = make([]byte, n)
		}
		if err := w.WriteTensor(x.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return path
}

// floats encodes F32 data.
func floats(values ...float32) []byte {
	b := make([]byte, 4*len(values))
	if err := quant.Encode(quant.F32, b, values); err != nil {
		panic(err)
	}
	return b
}

func TestShow(t *testing.T) {
	const want = ` key                                     type        value
 general.architecture                    str         llama
 llama.block_count                       u32         1
 llama.attention.layer_norm_rms_epsilon  f32         1e-05
 tokenizer.ggml.tokens                   arr[str,3]  ["<unk>", "a", "b"]

 tensor              shape  type  bytes
 token_embd.weight   2x3    f32      24
 output_norm.weight  2      f32       8

 type  tensors  parameters   MiB    bpw
 f32         2           8  0.00  32.00

 file        FILE
 format      GGUF version 3, alignment 32
 size        416 bytes
 tensors     2
 parameters  8, 32.00 bits per weight
`
	for _, args := range [][]string{{tiny}, {tiny, "r"}, {tiny, "r", "n"}} {
		if got := exec(t, args...); got.code != 0 || got.err != "" || got.out != strings.Replace(want, "FILE", tiny, 1) {
			t.Errorf("%q: code %d\n%s%s", args, got.code, got.out, got.err)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"--tensors", " tensor              shape  type  bytes\n token_embd.weight   2x3    f32      24\n output_norm.weight  2      f32       8\n"},
		{"--kv NORM", " key                                     type  value\n llama.attention.layer_norm_rms_epsilon  f32   1e-05\n"},
		{"--kv general.*", " key                   type  value\n general.architecture  str   llama\n"},
	} {
		if got := exec(t, append(strings.Fields(c.args), tiny)...); got.code != 0 || got.out != c.want {
			t.Errorf("%s: code %d\n%s%s", c.args, got.code, got.out, got.err)
		}
	}
}

// TestDemo pins the numbers of a real model: what the loader allocates, types, the template.
func TestDemo(t *testing.T) {
	got := exec(t, demo)
	for _, text := range []string{`["!", "\"", "#", "$"`, "…\n", "5.77 M (5771264), 8.52 bits per weight", "kv cache    3072 bytes a token (f16), 6.00 MiB for 2048 tokens",
		" q8_0       43     5767168  5.84   8.50"} {
		if !strings.Contains(got.out, text) {
			t.Errorf("no %q in\n%s", text, got.out)
		}
	}
	if got := exec(t, demo, "--template"); !strings.HasPrefix(got.out, "{%- if tools %}\n") {
		t.Errorf("template: %.80s%s", got.out, got.err)
	}
	if got := exec(t, demo, "--kv", "tokenizer.ggml.merges"); strings.Count(got.out, `", "`) < 3000 {
		t.Errorf("merges: %d bytes", len(got.out))
	}
}

func TestJSON(t *testing.T) {
	var all struct {
		Metadata map[string]struct {
			Type   string
			Length *int
			Value  any
		}
		Tensors []jsonTensor
		Summary probe.Summary
	}
	got := exec(t, demo, "--json")
	if err := json.Unmarshal([]byte(got.out), &all); err != nil {
		t.Fatal(err)
	}
	tokens, layers := all.Metadata["tokenizer.ggml.tokens"], all.Metadata["qwen3.block_count"]
	if tokens.Type != "arr[str]" || *tokens.Length != 4096 || tokens.Value != nil || layers.Value != 6.0 || layers.Length != nil {
		t.Errorf("tokens %+v, layers %+v", tokens, layers)
	}
	if len(all.Tensors) != 68 || all.Summary.Parameters != 5771264 || all.Summary.KV != (probe.KVCache{PerToken: 3072, Context: 2048, Whole: 6 << 20}) {
		t.Errorf("%d tensors, %+v", len(all.Tensors), all.Summary)
	}
	if got := exec(t, demo, "--json", "--kv", "tokens"); !strings.Contains(got.out, `"<|im_end|>"`) || strings.Contains(got.out, "summary") {
		t.Errorf("tokens: %.200s", got.out)
	}
	if got := exec(t, demo, "--json", "--tensors"); strings.Contains(got.out, `"metadata"`) || !strings.Contains(got.out, `"offset"`) {
		t.Errorf("tensors: %.200s", got.out)
	}
}

// TestControlCharacters pins that nothing of a file reaches a terminal as it is.
func TestControlCharacters(t *testing.T) {
	path := store(t, filepath.Join(t.TempDir(), "m.gguf"), []any{
		"general.architecture", gguf.String("x\x1b]0;x\a"), "k \x1b[2J\u202e", gguf.String("v\u009b2J\u202e\x7f"), "bytes", gguf.String("\xff"),
		"nan", gguf.Float32s([]float32{float32(nan()), 1}), "tokenizer.chat_template", gguf.String("{{ \x1b"),
	}, tensor{"t\x1b[m\u202e", quant.F32, []int{4}, nil})
	for _, args := range []string{"FILE", "--json FILE", "--json --kv * FILE", "--kv * FILE", "check FILE", "check --json FILE", "hash FILE", "hash --json FILE",
		"diff FILE " + tiny, "diff --json FILE " + tiny, "dump FILE t\x1b[m\u202e", "dump FILE none", "rm FILE k"} {
		got := exec(t, strings.Fields(strings.ReplaceAll(args, "FILE", path))...)
		if text := got.out + got.err; strings.ContainsAny(text, "\x1b\a\x7f\u009b\u202e") || !utf8.ValidString(text) {
			t.Errorf("%q prints %q", args, text)
		}
		if strings.Contains(args, "--json") && !json.Valid([]byte(got.out)) {
			t.Errorf("%q: no JSON: %s", args, got.out)
		}
	}
}

func nan() float64 { var zero float64; return zero / zero }

func TestWrongUse(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", 2, "give a file"},
		{tiny + " " + demo, 2, "diff compares two"},
		{"dif " + tiny, 2, "neither a command nor a file"},
		{tiny + " w", 2, "does not"},
		{"diff " + tiny, 2, "give A B"},
		{"set " + tiny + " k", 2, "give FILE KEY VALUE"},
		{tiny + " --kv [", 2, "--kv"},
		{tiny + " --kv zzz", 1, `no key matches "zzz"`},
		{tiny + " --template", 1, "no chat template"},
		{tiny + " --tensor", 2, "did you mean --tensors?"},
		{dir, 1, "is a folder"},
		{dir + "/none.gguf", 1, "no such file"},
		{"dump " + tiny + " x --csv --npy", 2, "exclude each other"},
		{"dump " + tiny + " token", 1, "did you mean token_embd.weight?"},
		{"dump " + tiny + " token_embd.weight --rows 3:1", 2, "no range of rows"},
		{"dump " + tiny + " token_embd.weight --rows 7", 1, "has 3 rows"},
		{"hash hf://o/r/m.gguf", 1, "download the file"},
		{"check https://h/m.gguf", 1, "download the file"},
		{"rm https://h/m.gguf k", 1, "cannot be changed"},
		{"hf://o/m.gguf", 1, "want hf://owner/repo/file.gguf"},
	} {
		got := exec(t, strings.Fields(c.args)...)
		if got.code != c.code || !strings.Contains(got.err, c.want) || got.out != "" || strings.Count(got.err, "\n") != 1 {
			t.Errorf("%q: code %d, want %d; %q, want %q; printed %q", c.args, got.code, c.code, got.err, c.want, got.out)
		}
	}
}

// TestSparseShards shows a set of 4 shards of 25 GB, of which only the headers are there, from any member.
func TestSparseShards(t *testing.T) {
	dir, path := t.TempDir(), ""
	for no := range 4 {
		md := gguf.NewMetadata()
		md.Set("split.no", gguf.Uint16(uint16(no)))
		md.Set("split.count", gguf.Uint16(4))
		if no == 0 {
			md.Set("general.architecture", gguf.String("huge"))
		}
		infos := []gguf.TensorInfo{{Name: fmt.Sprintf("blk.%d.ffn_up.weight", no), Type: quant.F16, Shape: []int{12_500, 1_000_000}}}
		var head bytes.Buffer
		if _, err := gguf.NewWriter(&head, md, infos); err != nil {
			t.Fatal(err)
		}
		size, err := gguf.Size(md, infos)
		if err != nil {
			t.Fatal(err)
		}
		path = gguf.ShardPath(filepath.Join(dir, "m"), no, 4)
		if err := os.WriteFile(path, head.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil {
			t.Skipf("no sparse files here: %v", err)
		}
	}
	got := exec(t, path)
	for _, text := range []string{"shards      4", "93.13 GiB", "50.00 B (50000000000), 16.00 bits per weight", "blk.3.ffn_up.weight  12500x1000000  f16   25000000000      4"} {
		if !strings.Contains(got.out, text) {
			t.Errorf("no %q in\n%s%s", text, got.out, got.err)
		}
	}
}

// TestRemote shows a file on a server, and reads two rows of it.
func TestRemote(t *testing.T) {
	s := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(demo))))
	defer s.Close()
	got := exec(t, s.URL+"/demo.gguf")
	local := exec(t, demo)
	if want := strings.Replace(local.out, " "+demo, " "+s.URL+"/demo.gguf", 1); got.out != want {
		t.Errorf("code %d, %s\n%s", got.code, got.err, got.out)
	}
	row := []string{"blk.5.attn_v.weight", "--rows", "126:", "--csv"}
	if a, b := exec(t, append([]string{"dump", s.URL + "/demo.gguf"}, row...)...), exec(t, append([]string{"dump", demo}, row...)...); a != b || strings.Count(a.out, "\n") != 2 {
		t.Errorf("rows differ: %s%s", a.out, a.err)
	}
	if got := exec(t, "diff", demo, s.URL+"/demo.gguf"); got.code != 0 {
		t.Errorf("diff: %s%s", got.out, got.err)
	}
	if got := exec(t, s.URL+"/none.gguf"); got.code != 1 || !strings.Contains(got.err, "404") {
		t.Errorf("%+v", got)
	}
}
