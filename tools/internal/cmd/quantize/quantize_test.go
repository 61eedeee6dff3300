package quantize

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/model"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/imatrix"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/tools/internal/run"
)

// tool runs the command and returns the exit code and what it printed.
func tool(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run.Exec(context.Background(), Command("quantize"), run.Streams{In: strings.NewReader(""), Out: &out, Err: &err}, args)
	return code, out.String(), err.String()
}

func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	code, out, err := tool(args...)
	if code != 0 {
		t.Fatalf("%v: exit code %d: %s", args, code, err)
	}
	return out
}

// mustFail wants the exit code and a message that contains all words.
func mustFail(t *testing.T, want int, words []string, args ...string) {
	t.Helper()
	code, _, err := tool(args...)
	if code != want {
		t.Errorf("%v: exit code %d, want %d: %s", args, code, want, err)
	}
	for _, w := range words {
		if !strings.Contains(err, w) {
			t.Errorf("%v: %q does not contain %q", args, err, w)
		}
	}
}

// newModel writes a small model into a fresh folder.
func newModel(t *testing.T, name string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "in.gguf")
	shape, ok := decided[name]
	if !ok {
		shape = short
	}
	if err := model.Write(path, shape, quant.F16, 1); err != nil {
		t.Fatal(err)
	}
	return path
}

func beside(path, name string) string { return filepath.Join(filepath.Dir(path), name) }

func TestQuantize(t *testing.T) {
	in := newModel(t, "dense")
	out := beside(in, "out.gguf")
	if got := mustRun(t, in, out, "q4_k", "3"); got != out+"\n" {
		t.Errorf("stdout is %q", got)
	}
	before, after := open(t, in), open(t, out)
	if v, _ := after.Metadata.Get("general.file_type"); v != gguf.Uint32(15) {
		t.Errorf("general.file_type is %v", v.Any())
	}
	for i := range before.Tensors {
		a := &before.Tensors[i]
		b, ok := after.Tensor(a.Name)
		if !ok {
			t.Fatalf("%s is missing", a.Name)
		}
		if e := relativeOf(values(before, a), values(after, b)); e > 0.09 || b.Type == a.Type && e != 0 {
			t.Errorf("%s as %s: error %g", a.Name, b.Type, e)
		}
	}
	noTemporaries(t, in, "in.gguf", "out.gguf")
}

func relativeOf(x, y []float32) float64 {
	var s errorSums
	s.add(x, y, nil)
	return relative(s.e2, s.x2)
}

// noTemporaries wants just these files in the folder.
func noTemporaries(t *testing.T, in string, names ...string) {
	t.Helper()
	entries, _ := os.ReadDir(filepath.Dir(in))
	if len(entries) != len(names) {
		t.Errorf("the folder holds %v, want %v", entries, names)
	}
}

// TestThreadsDoNotMatter: pieces and threads change nothing in the file.
func TestThreadsDoNotMatter(t *testing.T) {
	in := newModel(t, "moe")
	matrix := beside(in, "matrix.gguf")
	writeMatrix(t, matrix, open(t, in))
	for _, typ := range []string{"Q4_K_M", "IQ2_XS"} {
		var first []byte
		for _, args := range [][]string{{"1"}, {"4"}} {
			out := beside(in, "out.gguf")
			mustRun(t, append([]string{"--imatrix", matrix, "--max-buffer-size", args[0], in, out, typ}, args...)...)
			data, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = data
			}
			if !bytes.Equal(first, data) {
				t.Errorf("%s with %s threads: other bytes", typ, args[0])
			}
		}
	}
}

func TestDefaultName(t *testing.T) {
	in := newModel(t, "narrow")
	if out := mustRun(t, in, "7"); out != beside(in, "ggml-model-Q8_0.gguf")+"\n" {
		t.Errorf("stdout is %q", out)
	}
}

func TestCopy(t *testing.T) {
	in := newModel(t, "narrow")
	out := beside(in, "out.gguf")
	mustRun(t, "--override-kv", "general.name=str:renamed", "--override-kv", "a.b=int:7", "--override-kv", "a.c=bool:true",
		"--override-kv", "a.d=float:0.5", in, out, "copy")
	f := open(t, out)
	for key, want := range map[string]gguf.Value{"general.name": gguf.String("renamed"), "a.b": gguf.Uint32(7), "a.c": gguf.Bool(true), "a.d": gguf.Float32(0.5)} {
		if v, _ := f.Metadata.Get(key); v != want {
			t.Errorf("%s is %v, want %v", key, v.Any(), want.Any())
		}
	}
	sameValues(t, "copy", open(t, in), f)
}

func TestPrune(t *testing.T) {
	in := newModel(t, "dense")
	out := beside(in, "out.gguf")
	mustRun(t, "--prune-layers", "3", "--prune-layers", "1,3", in, out, "q8_0")
	f := open(t, out)
	if v, _ := f.Metadata.Get("llama.block_count"); v != gguf.Uint32(7) {
		t.Errorf("block_count is %v", v.Any())
	}
	_, has := f.Tensor("blk.6.ffn_up.weight")
	_, hasNot := f.Tensor("blk.7.ffn_up.weight")
	if !has || hasNot {
		t.Errorf("layers were not renumbered: %v, %v", has, hasNot)
	}
	a, _ := open(t, in).Tensor("blk.2.ffn_up.weight")
	b, _ := f.Tensor("blk.1.ffn_up.weight")
	if e := relativeOf(values(open(t, in), a), values(f, b)); e > 0.01 {
		t.Errorf("layer 1 is not the old layer 2: error %g", e)
	}
}

func TestRules(t *testing.T) {
	in := newModel(t, "dense")
	rules := beside(in, "rules.txt")
	if err := os.WriteFile(rules, []byte("blk\\.0\\..*ffn=q5_k\nattn_k=q8_0  "), 0o644); err != nil {
		t.Fatal(err)
	}
	rows := readCSV(t, mustRun(t, "--dry-run", "--csv", "--tensor-type", `ATTN_V=f16`, "--tensor-type-file", rules,
		"--output-tensor-type", "q6_K", "--token-embedding-type", "IQ4_XS", in, "Q4_0"))
	want := map[string]string{"output.weight": "q6_K", "token_embd.weight": "iq4_xs", "blk.0.ffn_up.weight": "q5_K", "blk.1.ffn_up.weight": "q4_0",
		"blk.3.attn_k.weight": "q8_0", "blk.3.attn_v.weight": "f16", "blk.3.attn_norm.weight": "f32"}
	for _, r := range rows {
		if w, ok := want[r["tensor"]]; ok && r["to"] != w {
			t.Errorf("%s becomes %s, want %s", r["tensor"], r["to"], w)
		}
		delete(want, r["tensor"])
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
}

func TestDryRun(t *testing.T) {
	in := newModel(t, "narrow")
	code, text, _ := tool("--dry-run", "-c", "64", in, "Q4_K_M")
	if code != 0 || !strings.Contains(text, "wanted q4_K: rows of 64 do not fit q4_K") || !strings.Contains(text, "with a context of 64") {
		t.Errorf("exit code %d:\n%s", code, text)
	}
	var r report
	if err := json.Unmarshal([]byte(mustRun(t, "--dry-run", "--error", "--json", in, "Q4_K_M")), &r); err != nil {
		t.Fatal(err)
	}
	var sum int64
	for i, l := range r.Tensors {
		sum += l.After
		if i > 0 && l.worst() > r.Tensors[i-1].worst() {
			t.Errorf("%s is worse than the tensor before it", l.Name)
		}
	}
	if sum != r.After || r.Fallback != 15 || len(r.ByRole) < 3 || r.Tensors[0].Error == nil {
		t.Errorf("bytes %d and %d, %d fallbacks, roles %v", sum, r.After, r.Fallback, r.ByRole)
	}
	if md := mustRun(t, "--dry-run", "--md", in, "Q4_K_M"); !strings.HasPrefix(strings.TrimSpace(md), "|") {
		t.Errorf("no Markdown: %s", md)
	}
	if first, _, _ := strings.Cut(mustRun(t, "--dry-run", "--csv", in, "Q4_K_M"), "\n"); !strings.HasPrefix(first, "tensor,shape,from,to,bytes_from,bytes_to") {
		t.Errorf("the CSV begins with %s", first)
	}
	noTemporaries(t, in, "in.gguf")
}

func TestRefuses(t *testing.T) {
	in := newModel(t, "narrow")
	before, _ := os.ReadFile(in)
	link, hard := beside(in, "link.gguf"), beside(in, "hard.gguf")
	if err := os.Symlink(in, link); err != nil {
		t.Skip(err)
	}
	if err := os.Link(in, hard); err != nil {
		t.Skip(err)
	}
	for _, out := range []string{in, link, hard} {
		mustFail(t, 1, []string{"is the input"}, in, out, "Q8_0")
	}
	fits := newModel(t, "dense")
	mustFail(t, 1, []string{"this quantization requires an importance matrix!", "attn_k"}, "--tensor-type", "attn_k=iq2_s", fits, beside(in, "o.gguf"), "Q4_0")
	mustFail(t, 1, []string{"this quantization requires an importance matrix!"}, fits, beside(in, "o.gguf"), "IQ2_XXS")
	mustFail(t, 1, []string{"--strict", "rows of 64"}, "--strict", in, beside(in, "o.gguf"), "Q4_K_M")
	mustFail(t, 1, []string{"token_embd.weight", "whole blocks of 256"}, "--token-embedding-type", "q4_K", in, beside(in, "o.gguf"), "Q8_0")
	mustFail(t, 1, []string{"the folder does not exist"}, in, beside(in, "no/o.gguf"), "Q8_0")
	mustFail(t, 2, []string{"is not a type"}, in, beside(in, "o.gguf"), "Q9_0")
	mustFail(t, 2, []string{"NAME=TYPE"}, "--tensor-type", "attn_k", in, "Q8_0")
	mustFail(t, 2, []string{"--dry-run"}, "--csv", in, "Q8_0")
	mustFail(t, 2, []string{"one of"}, "--dry-run", "--csv", "--json", in, "Q8_0")
	mustFail(t, 2, []string{"cannot be used together"}, "--include-weights", "a", "--exclude-weights", "b", in, "Q8_0")
	q8 := beside(in, "q8.gguf")
	mustRun(t, in, q8, "Q8_0")
	mustFail(t, 1, []string{"requantizing from q8_0", "--allow-requantize"}, q8, beside(in, "o.gguf"), "Q4_0")
	mustRun(t, "--allow-requantize", q8, beside(in, "ok.gguf"), "Q4_0")
	if after, _ := os.ReadFile(in); !bytes.Equal(before, after) {
		t.Error("the input changed")
	}
	noTemporaries(t, in, "in", "link", "hard", "q8", "ok")
}

// TestDamagedWeights: a value that is not finite is told with its place, and nothing is left behind.
func TestDamagedWeights(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(-1)} {
		in := damaged(t, float32(v))
		for _, typ := range []string{"Q4_0", "Q8_0", "F16", "Q1_0"} {
			mustFail(t, 1, []string{`"blk.0.ffn_up.weight"`, "row 1, column 7 is"}, in, beside(in, "o.gguf"), typ)
		}
		noTemporaries(t, in, "in.gguf")
	}
}

// damaged writes a model of one matrix with v in row 1, column 7.
func damaged(t *testing.T, v float32) string {
	t.Helper()
	x := make([]float32, 2*128)
	x[128+7] = v
	return oneMatrix(t, x, 128, 2)
}

func oneMatrix(t *testing.T, x []float32, shape ...int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "in.gguf")
	md := gguf.NewMetadata()
	md.Set("general.architecture", gguf.String("llama"))
	md.Set("llama.block_count", gguf.Uint32(1))
	w, err := gguf.Create(path, md, []gguf.TensorInfo{{Name: "blk.0.ffn_up.weight", Type: quant.F32, Shape: shape}})
	if err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, 4*len(x))
	_ = quant.Encode(quant.F32, raw, x)
	if err := w.WriteTensor(raw); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOddMatrix(t *testing.T) {
	in := newModel(t, "narrow")
	matrix, bad := beside(in, "m.gguf"), beside(in, "bad.gguf")
	writeMatrix(t, matrix, open(t, in))
	edit := func(change func(*imatrix.Matrix)) {
		m, err := imatrix.Open(matrix)
		if err != nil {
			t.Fatal(err)
		}
		change(m)
		if err := m.Save(bad); err != nil {
			t.Fatal(err)
		}
	}
	out := beside(in, "out.gguf")
	edit(func(m *imatrix.Matrix) { clear(m.Entries["blk.0.ffn_up.weight"].Squares) })
	if _, _, err := tool("--imatrix", bad, in, out, "Q4_0"); !strings.Contains(err, "blk.0.ffn_up.weight is all zero") {
		t.Errorf("zeros: %s", err)
	}
	edit(func(m *imatrix.Matrix) { m.Entries["blk.0.ffn_up.weight"].Squares = make([]float32, 32) })
	mustFail(t, 1, []string{"blk.0.ffn_up.weight", "32 columns", "64"}, "--imatrix", bad, in, out, "Q4_0")
	edit(func(m *imatrix.Matrix) { m.Entries["blk.9.ffn_up.weight"] = m.Entries["blk.0.ffn_up.weight"] })
	if _, _, err := tool("--imatrix", bad, in, out, "Q4_0"); !strings.Contains(err, "1 entries of the importance matrix belong to no tensor") {
		t.Errorf("another model's: %s", err)
	}
	edit(func(m *imatrix.Matrix) {
		m.Entries = map[string]*imatrix.Entry{"blk.0.other.weight": m.Entries["blk.0.ffn_up.weight"]}
	})
	mustFail(t, 1, []string{"none of the 1 entries", "blk.0.other.weight", "another model"}, "--imatrix", bad, in, beside(in, "o.gguf"), "Q4_0")
	edit(func(m *imatrix.Matrix) { m.Progress = &imatrix.Progress{Run: "r", Next: 1, Tokens: 1} })
	if _, _, err := tool("--imatrix", bad, in, out, "Q4_0"); !strings.Contains(err, "is not finished: it holds 4 chunks") {
		t.Errorf("unfinished: %s", err)
	}
	fits := newModel(t, "dense")
	writeMatrix(t, beside(fits, "m.gguf"), open(t, fits))
	mustFail(t, 1, []string{"importance matrix!", "has no entry"}, "--imatrix", beside(fits, "m.gguf"), "--exclude-weights", "attn_k",
		"--tensor-type", "attn_k=iq2_s", fits, beside(in, "o.gguf"), "Q4_0")
	f := open(t, out)
	if v, _ := f.Metadata.Get("quantize.imatrix.chunks_count"); v != gguf.Uint32(4) {
		t.Errorf("chunks_count is %v", v.Any())
	}
}

func TestKeepSplit(t *testing.T) {
	in := newModel(t, "narrow")
	f := open(t, in)
	half := len(f.Tensors) / 2
	for i, tensors := range [][]gguf.Tensor{nil, f.Tensors[:half], f.Tensors[half:]} { // the first with metadata alone
		writeShard(t, beside(in, "s"), f, i, 3, tensors)
	}
	out := beside(in, "out.gguf")
	if first := mustRun(t, "--keep-split", beside(in, "s-00001-of-00003.gguf"), out, "Q4_0"); first != beside(in, "out-00001-of-00003.gguf\n") {
		t.Errorf("stdout is %q", first)
	}
	set := open(t, beside(in, "out-00002-of-00003.gguf"))
	if len(set.Tensors) != len(f.Tensors) || len(set.Paths()) != 3 || set.Tensors[0].Shard != 1 {
		t.Errorf("%d tensors in %v", len(set.Tensors), set.Paths())
	}
	mustRun(t, beside(in, "s-00001-of-00003.gguf"), out, "Q4_0")
	sameValues(t, "one file", set, open(t, out))
}

func writeShard(t *testing.T, prefix string, f *gguf.File, i, n int, tensors []gguf.Tensor) {
	t.Helper()
	md := f.Metadata.Clone()
	md.Set("split.no", gguf.Uint16(uint16(i)))
	md.Set("split.count", gguf.Uint16(uint16(n)))
	md.Set("split.tensors.count", gguf.Int32(int32(len(f.Tensors))))
	var infos []gguf.TensorInfo
	for k := range tensors {
		infos = append(infos, tensors[k].Info())
	}
	w, err := gguf.Create(gguf.ShardPath(prefix, i, n), md, infos)
	if err != nil {
		t.Fatal(err)
	}
	for k := range tensors {
		if err := w.WriteTensor(f.Bytes(&tensors[k])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// TestCancelled leaves nothing behind.
func TestCancelled(t *testing.T) {
	in := newModel(t, "dense")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, err bytes.Buffer
	code := run.Exec(ctx, Command("quantize"), run.Streams{In: strings.NewReader(""), Out: &out, Err: &err}, []string{in, beside(in, "o.gguf"), "Q4_0"})
	if code != run.Interrupted {
		t.Errorf("exit code %d: %s", code, err.String())
	}
	noTemporaries(t, in, "in.gguf")
}
