package embed

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
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func exec(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run.Exec(context.Background(), Command("llama-embed"), run.Streams{In: strings.NewReader(stdin), Out: &out, Err: &err}, args)
	return code, out.String(), err.String()
}

func write(t *testing.T) string {
	t.Helper()
	shape, err := model.Named("encoder-bert")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "bert.gguf")
	if err := model.Write(path, shape, quant.F32, 42); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLikeLlamaCpp has the first values that llama.cpp v0.7.0's llama-embedding prints for this model, and its cosines.
func TestLikeLlamaCpp(t *testing.T) {
	path := write(t)
	code, stdout, stderr := exec("the cat sat on the mat\r\nit is in the dog\n", "-m", path, "--embd-output-format", "json+")
	var got struct {
		Data             []struct{ Embedding []float64 }
		CosineSimilarity [][]float64
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != run.Done || stderr != "" {
		t.Fatalf("code %d, %v, %q", code, err, stderr)
	}
	for i, want := range [][]float64{{0.089494, 0.044334, -0.332932, -0.286220}, {0.089949, 0.026920, -0.326061, -0.322655}} {
		for j, w := range want {
			if math.Abs(got.Data[i].Embedding[j]-w) > 5e-4 { // its GELU is rounded to float16
				t.Errorf("text %d, value %d: %g, want %g", i, j, got.Data[i].Embedding[j], w)
			}
		}
	}
	if c := got.CosineSimilarity; len(c) != 2 || math.Abs(c[0][1]-0.99) > 0.005 || math.Abs(c[1][1]-1) > 1e-6 {
		t.Errorf("cosines %v", c)
	}
}

func TestFormats(t *testing.T) {
	path := write(t)
	for _, c := range []struct {
		name   string
		args   []string
		begins string
		lines  int
	}{
		{"text", []string{"the cat", "a dog"}, "embedding 0:  0.0", 8},
		{"one text", []string{"the cat"}, "embedding 0:  0.0", 1},
		{"tokens", []string{"--pooling", "none", "the cat"}, "embedding 0:  0.0", 4},
		{"raw", []string{"--embd-output-format", "raw", "the cat", "a dog"}, "0.0", 2},
		{"array", []string{"--embd-output-format", "array", "the cat", "a dog"}, "[[0.0", 1},
		{"csv", []string{"--embd-output-format", "csv", "the cat, a dog"}, "text,0,1,2,3,", 2},
		{"scores", []string{"--pooling", "rank", "-p", `the cat\ta dog\nit\tis`}, "score 0: yes 0.4", 2},
		{"scores as csv", []string{"--pooling", "rank", "--cls-separator", "|", "--embd-output-format", "csv", "the cat|a dog"}, "text,yes,no\n", 2},
		{"own separators", []string{"-p", "the cat#a dog", "--embd-separator", "#"}, "embedding 0:  0.0", 8},
		{"cut", []string{"--truncate", "-c", "4", "the cat sat on the mat"}, "embedding 0:  ", 1},
		{"not normalised", []string{"--embd-normalize", "-1", "the cat"}, "embedding 0:  0.", 1},
	} {
		code, stdout, stderr := exec("", append([]string{"-m", path}, c.args...)...)
		if code != run.Done || !strings.HasPrefix(stdout, c.begins) || strings.Count(stdout, "\n") != c.lines || stderr != "" {
			t.Errorf("%s: code %d, %q, %q; want %d lines that begin with %q", c.name, code, stdout, stderr, c.lines, c.begins)
		}
	}
}

func TestNpy(t *testing.T) {
	path, out := write(t), filepath.Join(t.TempDir(), "v.npy")
	if code, _, stderr := exec("the cat\na dog\nit", "-m", path, "--embd-output-format", "npy", "-o", out); code != run.Done {
		t.Fatalf("code %d, %q", code, stderr)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	const head = "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (3, 32), }"
	if !bytes.HasPrefix(data, []byte(head)) || data[127] != '\n' || len(data) != 128+3*32*4 {
		t.Errorf("%d bytes: %q", len(data), data[:min(len(data), 128)])
	}
}

func TestRefuses(t *testing.T) {
	path := write(t)
	for _, c := range []struct {
		name   string
		args   []string
		code   int
		stderr string
	}{
		{"no model", []string{"a"}, run.WrongUse, "no model"},
		{"two sources", []string{"-m", path, "-p", "a", "b"}, run.WrongUse, "in one way"},
		{"no text", []string{"-m", path}, run.Failed, "there is no text"},
		{"pooling", []string{"-m", path, "--pooling", "middle", "a"}, run.WrongUse, `"middle" is none of`},
		{"format", []string{"-m", path, "--embd-output-format", "xml", "a"}, run.WrongUse, `"xml" is none of`},
		{"no pair", []string{"-m", path, "--pooling", "rank", "a\tb", "a"}, run.Failed, `text 2: no "\t" between`},
		{"too long", []string{"-m", path, "-c", "4", "a", "the cat sat"}, run.Failed, "text 2 has 5 tokens, the model takes 4"},
		{"folder", []string{"-m", path, "-o", filepath.Join(path, "x"), "a"}, run.Failed, "x"},
	} {
		code, stdout, stderr := exec("", c.args...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%s: code %d, %q, %q; want %q", c.name, code, stdout, stderr, c.stderr)
		}
	}
}

func TestCosine(t *testing.T) {
	for _, c := range []struct {
		a, b []float32
		want float32
	}{{[]float32{1, 0}, []float32{0, 2}, 0}, {[]float32{1, 1}, []float32{-2, -2}, -1}, {[]float32{0, 0}, []float32{0, 0}, 1}, {[]float32{0, 0}, []float32{1, 0}, 0}} {
		if got := cosine(c.a, c.b); math.Abs(float64(got-c.want)) > 1e-7 {
			t.Errorf("cosine of %v and %v is %g, want %g", c.a, c.b, got, c.want)
		}
	}
}
