package imatrix

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/imatrix"
	"github.com/llamakit/llamakit/tools/internal/run"
)

const textFile = "testdata/text.txt"

// tool runs the command and returns the exit code and what it printed.
func tool(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run.Exec(ctx, Command("imatrix"), run.Streams{In: strings.NewReader(""), Out: &out, Err: &err}, args)
	return code, out.String(), err.String()
}

func mustRun(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	code, out, err := tool(context.Background(), args...)
	if code != run.Done {
		t.Fatalf("%v: exit code %d: %s", args, code, err)
	}
	return out, err
}

func open(t *testing.T, path string) *imatrix.Matrix {
	t.Helper()
	m, err := imatrix.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// near reports whether no value is off by more than a thousandth.
func near(got, want []float32) bool {
	return slices.EqualFunc(got, want, func(a, b float32) bool { return math.Abs(float64(a-b)) <= 1e-3*math.Abs(float64(b)) })
}

// TestPeer compares both formats with what llama.cpp computes.
func TestPeer(t *testing.T) {
	model, dir := newModel(t, 1), t.TempDir()
	for _, format := range []string{"gguf", "dat"} {
		out := filepath.Join(dir, "m."+format)
		stdout, stderr := mustRun(t, "-m", model, "-f", textFile, "-c", "64", "--process-output", "-o", out, "--output-format", format)
		if stdout != out+"\n" || !strings.Contains(stderr, "chunk 15 of 15: PPL 260.3") || !strings.Contains(stderr, "Final estimate: PPL = 260.30") {
			t.Errorf("%s: printed %q and %q", format, stdout, stderr)
		}
		got, want := open(t, out), open(t, "testdata/peer."+format)
		if got.Chunks != want.Chunks || got.ChunkSize != want.ChunkSize || !slices.Equal(got.Names(), want.Names()) || !slices.Equal(got.Schema, want.Schema) {
			t.Errorf("%s: %d chunks of %d, %v", format, got.Chunks, got.ChunkSize, got.Names())
		}
		for name, w := range want.Entries {
			g := got.Entries[name]
			if !near(g.Squares, w.Squares) || !slices.Equal(g.Counts, w.Counts) || len(g.Sums) != len(w.Sums) || len(g.Stats) != len(w.Stats) {
				t.Errorf("%s: %s: %v of %v tokens, want %v of %v", format, name, g.Squares, g.Counts, w.Squares, w.Counts)
			}
		}
	}
}

// TestWithoutPerplexity: logits that nobody looks at are not computed, and the matrix is the same.
func TestWithoutPerplexity(t *testing.T) {
	model, dir := newModel(t, 1), t.TempDir()
	a, b := filepath.Join(dir, "a.gguf"), filepath.Join(dir, "b.gguf")
	mustRun(t, "-m", model, "-f", textFile, "-c", "64", "-o", a, "-t", "1")
	_, stderr := mustRun(t, "-m", model, "-f", textFile, "-c", "64", "-o", b, "-t", "3", "-b", "24", "--no-ppl")
	if strings.Contains(stderr, "PPL") {
		t.Errorf("printed %q", stderr)
	}
	if !bytes.Equal(read(t, a), read(t, b)) {
		t.Error("the matrix depends on threads, batches or the perplexity")
	}
}

// TestResume interrupts runs after some chunks and goes on with them, in both formats.
func TestResume(t *testing.T) {
	model, dir := newModel(t, 1), t.TempDir()
	merged := filepath.Join(dir, "merged.gguf")
	args := []string{"-m", model, "-f", textFile, "-c", "64", "--in-file", "testdata/peer.gguf", "--output-frequency", "3"}
	for _, format := range []string{"gguf", "dat"} {
		whole := filepath.Join(dir, "whole."+format)
		mustRun(t, append(args, "-o", whole, "--output-format", format)...)
		args := append(args, "-o", merged, "--output-format", format)
		for _, stop := range []string{"chunk 3 ", "chunk 9 "} {
			ctx, cancel := context.WithCancel(context.Background())
			watch := &stopper{text: stop, cancel: cancel}
			code := run.Exec(ctx, Command("imatrix"), run.Streams{Out: &bytes.Buffer{}, Err: watch}, args)
			if code != run.Interrupted || !strings.Contains(watch.String(), "goes on from there") {
				t.Fatalf("%s: interrupted: code %d, %q", format, code, watch)
			}
		}
		if code, _, err := tool(context.Background(), append(args, "--chunk", "1")...); code != run.Failed || !strings.Contains(err, "another run") {
			t.Errorf("other settings: code %d, %q", code, err)
		}
		_, stderr := mustRun(t, args...)
		if !strings.Contains(stderr, "after chunk 9") && !strings.Contains(stderr, "after chunk 10") {
			t.Errorf("%s: went on with %q", format, stderr)
		}
		if !bytes.Equal(read(t, merged), read(t, whole)) || open(t, merged).Chunks != 30 {
			t.Errorf("%s: an interrupted run ends with another matrix", format)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.part")); left != nil {
			t.Errorf("%v was left", left)
		}
	}
}

// stopper cancels when a text is written.
type stopper struct {
	bytes.Buffer
	text   string
	cancel func()
}

func (s *stopper) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(s.text)) {
		s.cancel()
	}
	return s.Buffer.Write(p)
}

func TestCopies(t *testing.T) {
	model, out := newModel(t, 1), filepath.Join(t.TempDir(), "m.gguf")
	mustRun(t, "-m", model, "-f", textFile, "-c", "64", "-o", out, "--save-frequency", "6", "--from-chunk", "2", "--chunks", "12")
	for path, chunks := range map[string]int{out: 12, out + ".at_6": 6, out + ".at_12": 12} {
		m := open(t, path)
		if m.Chunks != chunks || m.Entries["blk.3.ffn_gate_inp.weight"].Counts[0] != float32(64*chunks) {
			t.Errorf("%s: %d chunks", path, m.Chunks)
		}
	}
}

// TestChunkSizes adds chunks of another size than the matrix counts in.
func TestChunkSizes(t *testing.T) {
	model, out := newModel(t, 1), filepath.Join(t.TempDir(), "m.gguf")
	mustRun(t, "-m", model, "-f", textFile, "-c", "32", "--chunks", "10", "--in-file", "testdata/peer.gguf", "-o", out)
	if m := open(t, out); m.Chunks != 15+5 || m.ChunkSize != 64 || m.Entries["blk.0.attn_q.weight"].Counts[0] != 20*64 {
		t.Errorf("%d chunks of %d, %v", m.Chunks, m.ChunkSize, m.Entries["blk.0.attn_q.weight"].Counts)
	}
}

func TestMerge(t *testing.T) {
	out := filepath.Join(t.TempDir(), "m.gguf")
	mustRun(t, "--in-file", "testdata/peer.gguf,testdata/peer.dat", "--in-file", "testdata/peer.gguf", "-o", out)
	one, sum := open(t, "testdata/peer.gguf"), open(t, out)
	if sum.Chunks != 45 || len(sum.Datasets) != 1 {
		t.Errorf("%d chunks, %v", sum.Chunks, sum.Datasets)
	}
	for name, e := range sum.Entries {
		if strings.Contains(name, "exps") { // experts weigh otherwise there: the older format has one count for all
			continue
		}
		if !near(e.Means(), one.Entries[name].Means()) || e.Counts[0] != 3*one.Entries[name].Counts[0] {
			t.Errorf("%s: the mean of equals is another", name)
		}
	}
}

// TestDescribe compares statistics with those that llama.cpp wrote beside the sums that they are of.
func TestDescribe(t *testing.T) {
	m, want := open(t, "testdata/peer.gguf"), open(t, "testdata/peer.gguf")
	m.Describe()
	for name, w := range want.Entries {
		for i, v := range w.Stats {
			if g := m.Entries[name].Stats[i]; !(math.Abs(float64(g-v)) <= 1e-5*math.Abs(float64(v))+1e-7) && !(g != g && v != v) {
				t.Errorf("%s: %s is %g, want %g", name, m.Schema[i], g, v)
			}
		}
	}
}

func TestStatistics(t *testing.T) {
	stdout, _ := mustRun(t, "--in-file", "testdata/peer.gguf", "--show-statistics")
	for _, want := range []string{" Layer | Tensor ", "∑ E[A²]    Gain |      L2 Dist       PCC       Cov\n", "     3 | blk.3.attn_k.weight ", "     - | output.weight ", "CosSim"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}
