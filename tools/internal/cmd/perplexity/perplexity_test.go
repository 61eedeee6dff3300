package perplexity

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/hf"
	"github.com/llamakit/llamakit/tools/internal/run"
)

const text = "testdata/text.txt" // the beginning of the demo model's held-out text

// result is what a run printed, and its exit code.
type result struct {
	code     int
	out, err string
}

func exec(ctx context.Context, args ...string) result {
	var out, errs bytes.Buffer
	code := run.Exec(ctx, Command("llama-perplexity"), run.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}, args)
	return result{code, out.String(), errs.String()}
}

// model writes the demo model to a file.
func model(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "demo.gguf")
	if err := os.WriteFile(path, demo.Model(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// numbers are those of a text, in order.
func numbers(text string) (out []float64) {
	for _, word := range regexp.MustCompile(`-?\d+\.\d+`).FindAllString(text, -1) {
		x, _ := strconv.ParseFloat(word, 64)
		out = append(out, x)
	}
	return out
}

// TestPerplexity compares with llama.cpp v0.7.0: llama-perplexity -m demo.gguf -f text.txt -c 128 [-b 128 --ppl-stride N].
// It rounds contexts up to a multiple of 256, so that the strided chunks, of -c and half the stride, are chosen to be one.
func TestPerplexity(t *testing.T) {
	m := model(t)
	for _, c := range []struct {
		args []string
		want []float64 // running estimates, then the final one and its error where llama.cpp prints them
	}{
		{[]string{"-c", "128"}, []float64{2.4280, 2.2678, 1.9074, 2.0869, 2.2312, 2.1670, 2.2247, 2.1527, 2.0106, 1.9931, 1.9338, 1.9338, 0.10162}},
		{[]string{"-c", "192", "--ppl-stride", "128", "-b", "192", "--chunks", "3"}, []float64{2.3674, 1.8836, 1.8314}},
		{[]string{"-c", "128", "-b", "100", "--chunks", "2"}, []float64{2.4280, 2.2678, 2.2678}},
	} {
		got := exec(t.Context(), append([]string{"-m", m, "-f", text}, c.args...)...)
		if got.code != 0 {
			t.Fatalf("%v: code %d, %s", c.args, got.code, got.err)
		}
		for i, n := range numbers(got.out)[:len(c.want)] {
			if math.Abs(n/c.want[i]-1) > 0.003 {
				t.Errorf("%v: number %d is %g, want %g", c.args, i, n, c.want[i])
			}
		}
	}
}

// TestGolden measures the draft model as llama.cpp v0.7.0 was recorded to.
func TestGolden(t *testing.T) {
	folder, err := hf.Open(golden.Shared(t, "models", "demo", "draft"))
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	data, err := os.ReadFile(golden.Shared(t, "models", "demo", "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Models map[string]struct {
			PPL map[string]struct{ PPL, Err float64 } `json:"perplexity_c512"`
		}
	}
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string]hf.OutType{"F16": hf.OutF16, "Q8_0": hf.OutQ8_0} {
		path := filepath.Join(t.TempDir(), name+".gguf")
		c, err := folder.Convert(hf.Options{Type: out})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Write(t.Context(), path, nil); err != nil {
			t.Fatal(err)
		}
		got := exec(t.Context(), "-m", path, "-f", golden.Shared(t, "models", "demo", "eval.txt"), "--json")
		var r plainResult
		if err := json.Unmarshal([]byte(got.out), &r); err != nil {
			t.Fatalf("%v: %s%s", err, got.out, got.err)
		}
		want := recorded.Models["draft"].PPL[name]
		if math.Abs(r.PPL.Value/want.PPL-1) > 0.003 || math.Abs(r.PPL.Error/want.Err-1) > 0.003 || r.Done != 70 {
			t.Errorf("%s: %+v, want %+v", name, r.PPL, want)
		}
	}
}

func TestBadInput(t *testing.T) {
	m, dir := model(t), t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	short, empty := file("short.txt", "hello"), file("empty.txt", "")
	for _, c := range []struct {
		args  []string
		code  int
		wrong string
	}{
		{[]string{"-f", short}, 1, "has only 2 tokens; a context of 512 needs 1024"},
		{[]string{"-f", empty}, 1, "is empty"},
		{[]string{"-f", filepath.Join(dir, "none")}, 1, "no such file"},
		{nil, 2, "no text"},
		{[]string{"-f", text, "-p", "x"}, 2, "give one text"},
		{[]string{"-f", text, "more"}, 2, `unexpected argument "more"`},
		{[]string{"-f", text, "--hellaswag", "--winogrande"}, 2, "give one of"},
		{[]string{"-f", text, "--kl-divergence"}, 2, "needs the base"},
		{[]string{"-f", text, "--csv"}, 2, "--compare"},
		{[]string{"-f", text, "--compare", m, "--csv", "--json"}, 2, "one of --json, --csv and --md"},
		{[]string{"-f", text, "-c", "2"}, 1, "leaves nothing to score"},
		{[]string{"-f", text, "-c", "64", "--chunks", "0"}, 2, "--chunks is 0"},
		{[]string{"-f", text, "-c", "128", "--ppl-stride", "500"}, 1, "leaves nothing to score"},
		{[]string{"-f", text, "-c", "128", "--kl-divergence-base", m}, 1, "is not overwritten"},
		{[]string{"-f", text, "-c", "128", "--kl-divergence-base", dir}, 1, "is not a regular file"},
		{[]string{"-f", short, "--hellaswag"}, 1, "6 lines"},
		{[]string{"-f", short, "--winogrande"}, 1, "no Winogrande task"},
		{[]string{"-bf", text, "--multiple-choice"}, 1, "no file of multiple-choice tasks"},
		{[]string{"-f", "testdata/hellaswag.txt", "--hellaswag", "-c", "20"}, 1, "give a larger one with -c"},
		{[]string{"-f", text, "--compare"}, 2, "two models or more"},
	} {
		args := append([]string{"-m", m}, c.args...)
		if got := exec(t.Context(), args...); got.code != c.code || !strings.Contains(got.err, c.wrong) || strings.Count(got.err, "\n") != 1 {
			t.Errorf("%v: code %d, %q, want %d and %q", c.args, got.code, got.err, c.code, c.wrong)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("left behind: %v", left)
	}
}

// TestDamagedWeights puts a NaN into the last norm.
func TestDamagedWeights(t *testing.T) {
	data := bytes.Clone(demo.Model())
	f, err := gguf.Parse("demo", data)
	if err != nil {
		t.Fatal(err)
	}
	norm, ok := f.Tensor("output_norm.weight")
	if !ok {
		t.Fatal("the demo model has no last norm")
	}
	binary.LittleEndian.PutUint32(f.Bytes(norm), math.Float32bits(float32(math.NaN())))
	path := filepath.Join(t.TempDir(), "nan.gguf")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-f", text, "-c", "128"}, {"-f", "testdata/hellaswag.txt", "--hellaswag"}, {"--compare", model(t), "-f", text, "-c", "128"}} {
		got := exec(t.Context(), append([]string{"-m", path}, args...)...)
		if got.code != 1 || !strings.Contains(got.err, "not finite") || strings.Contains(got.out, "NaN") {
			t.Errorf("%v: code %d, %q %q", args, got.code, got.out, got.err)
		}
	}
}

// TestInterrupted stops after some chunks, and expects what is known, and no file.
func TestInterrupted(t *testing.T) {
	m, dir := model(t), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	out := &stopper{after: 2, stop: cancel}
	code := run.Exec(ctx, Command("llama-perplexity"), run.Streams{In: strings.NewReader(""), Out: out, Err: &bytes.Buffer{}},
		[]string{"-m", m, "-f", text, "-c", "128", "-b", "128", "--kl-divergence-base", filepath.Join(dir, "base.kld")})
	if code != run.Interrupted || !regexp.MustCompile(`\nEstimate after \d+ of 11 chunks: PPL = 2\.\d+ \+/- 0\.\d+\n$`).MatchString(out.String()) {
		t.Errorf("code %d, %q", code, out)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// stopper calls stop at the n-th write.
type stopper struct {
	bytes.Buffer
	after int
	stop  func()
}

func (s *stopper) Write(p []byte) (int, error) {
	if s.after--; s.after == 0 {
		s.stop()
	}
	return s.Buffer.Write(p)
}
