package logits

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/model"
	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func exec(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run.Exec(context.Background(), Command("logits"), run.Streams{In: strings.NewReader(""), Out: &out, Err: &err}, args)
	return code, out.String(), err.String()
}

func tiny(t *testing.T) string {
	t.Helper()
	shape, err := model.Named("tiny-qwen3")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tiny.gguf")
	if err := model.Write(path, shape, quant.F32, 1); err != nil {
		t.Fatal(err)
	}
	return path
}

func readFloats(t *testing.T, path string) []float32 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float32, len(data)/4)
	if err := binary.Read(bytes.NewReader(data), binary.LittleEndian, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestFiles(t *testing.T) {
	path, dir := tiny(t), t.TempDir()
	out := filepath.Join(dir, "out.f32")
	code, stdout, stderr := exec("-m", path, "--tokens", "1,2, 3", "-o", out, "--dump-tensors", filepath.Join(dir, "dump"), "--greedy", "4")
	if code != run.Done || stderr != "" || len(strings.Fields(stdout)) != 4 {
		t.Fatalf("code %d, %q, %q", code, stdout, stderr)
	}
	got := readFloats(t, out)
	m, err := engine.Open(context.Background(), path, engine.Options{CacheK: engine.CacheF32, CacheV: engine.CacheF32})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	want, err := m.Logits(context.Background(), []engine.Token{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range append(append(want[0], want[1]...), want[2]...) {
		if got[i] != w {
			t.Fatalf("value %d is %g, want %g", i, got[i], w)
		}
	}
	dumped := readFloats(t, filepath.Join(dir, "dump", "result_output.f32"))
	if len(dumped) != len(got) || dumped[7] != got[7] {
		t.Errorf("dumped logits: %d values", len(dumped))
	}
	if n := len(readFloats(t, filepath.Join(dir, "dump", "attn_norm-1.f32"))); n != 3*32 {
		t.Errorf("attn_norm-1 has %d values, want 3 rows of 32", n)
	}
}

func TestWrongUse(t *testing.T) {
	path := tiny(t)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--tokens 1 -o x", run.WrongUse, "-m"},
		{"-m " + path + " --tokens 1", run.WrongUse, "nothing to do"},
		{"-m " + path + " --tokens 1,x -o y", run.WrongUse, "token id"},
		{"-m " + path + " --tokens 999 --greedy 1", run.Failed, "999"},
		{"-m " + path + " --tokens 1 -o " + path, run.Failed, "is the model"},
		{"-m " + path + " --tokens 1 -o /nonexistent/x", run.Failed, "/nonexistent"},
	} {
		code, stdout, stderr := exec(strings.Fields(c.args)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: code %d, %q, %q; want code %d and %q", c.args, code, stdout, stderr, c.code, c.want)
		}
	}
}
