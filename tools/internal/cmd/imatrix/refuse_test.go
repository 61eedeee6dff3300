package imatrix

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/imatrix"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func TestRefuses(t *testing.T) {
	model, dir := newModel(t, 1), t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	other := imatrix.New()
	other.Entries["blk.0.attn_q.weight"] = &imatrix.Entry{Squares: []float32{1, 2}, Counts: []float32{1}}
	other.ChunkSize = 64
	foreign := filepath.Join(dir, "foreign.gguf")
	if err := other.Save(foreign); err != nil {
		t.Fatal(err)
	}
	empty, short := file("empty.txt", ""), file("short.txt", "a few words")
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{run.WrongUse, "nothing to do", nil},
		{run.WrongUse, "no model", []string{"-f", textFile}},
		{run.WrongUse, "--in-file", []string{"--show-statistics"}},
		{run.WrongUse, "--chunks is 0", []string{"-m", model, "-f", textFile, "--chunks", "0"}},
		{run.Failed, "empty.txt: the text is empty", []string{"-m", model, "-f", empty}},
		{run.Failed, "you need at least 128 tokens for a context of 64", []string{"-m", model, "-f", short, "-c", "64"}},
		{run.Failed, "at least 1408 tokens", []string{"-m", model, "-f", textFile, "-c", "64", "--chunk", "20"}},
		{run.Failed, "is an input", []string{"-m", model, "-f", textFile, "-o", model}},
		{run.Failed, "is an input", []string{"--in-file", foreign, "-o", foreign}},
		{run.Failed, "cannot be written", []string{"-m", model, "-f", textFile, "-o", filepath.Join(dir, "none", "m.gguf")}},
		{run.Failed, "is a folder", []string{"-m", model, "-f", textFile, "-o", dir}},
		{run.Failed, `"blk.0.attn_q.weight" has 2 columns`, []string{"-m", model, "-f", textFile, "-c", "64", "--in-file", foreign}},
		{run.Failed, "do not fit", []string{"--in-file", "testdata/peer.gguf," + foreign}},
		{run.Failed, "is it an importance matrix?", []string{"--in-file", model}},
	} {
		args := append([]string{"-o", filepath.Join(dir, "out.gguf")}, c.args...)
		if code, _, stderr := tool(context.Background(), args...); code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: code %d, %q, want %q", c.args, code, stderr, c.want)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "*out*"))
	if err != nil || left != nil {
		t.Errorf("%v was written (%v)", left, err)
	}
}

// TestDamagedWeights stops at the tensor whose input is not finite, and keeps nothing of that chunk.
func TestDamagedWeights(t *testing.T) {
	path := newModel(t, 1)
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	at, _ := f.Tensor("blk.1.attn_v.weight")
	offset := at.Offset
	f.Close()
	data := read(t, path)
	copy(data[offset:], []byte{0, 0, 0xc0, 0x7f}) // NaN
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "m.gguf")
	code, _, stderr := tool(context.Background(), "-m", path, "-f", textFile, "-c", "64", "-o", out, "--no-ppl")
	if code != run.Failed || !strings.Contains(stderr, "chunk 1: the input of tensor") || !strings.Contains(stderr, "not finite") {
		t.Errorf("code %d, %q", code, stderr)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a matrix was written")
	}
}

// TestNotes tells of columns and experts that the text does not reach.
func TestNotes(t *testing.T) {
	m := imatrix.New()
	m.Entries["a"] = &imatrix.Entry{Squares: []float32{0, 1, 0}, Counts: []float32{4}}
	m.Entries["b"] = &imatrix.Entry{Squares: []float32{2, 1, 0, 0}, Counts: []float32{4, 0}}
	m.Entries["c"] = &imatrix.Entry{Squares: []float32{2}, Counts: []float32{4}}
	got := strings.Join(lacks(m), "\n")
	want := "a: 2 of 3 columns met nothing but zeros\nb: 1 of 2 experts met no token, first 1 (a longer text helps)"
	if got != want {
		t.Errorf("got %q", got)
	}
}
