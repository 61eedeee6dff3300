package outfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
)

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	in, link := filepath.Join(dir, "in.gguf"), filepath.Join(dir, "link.gguf")
	w, err := gguf.Create(in, gguf.NewMetadata(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(in, link); err != nil {
		t.Skip(err)
	}
	model, err := gguf.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	free := filepath.Join(dir, "free.gguf")
	for target, want := range map[string]string{free: "", in: "is the input", link: "is the input", filepath.Join(dir, "none", "x"): "the folder does not exist"} {
		if err := Check(model, free, target); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", target, err)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	text := func(text string, failed error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return errors.Join(err, failed)
		}
	}
	if err := Write(path, []string{"", filepath.Join(dir, "none")}, text("one", nil)); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, nil, text("two", io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a write that fails: %v", err)
	}
	if err := Write(path, []string{path}, text("two", nil)); err == nil {
		t.Error("the input is written over")
	}
	data, err := os.ReadFile(path)
	if files, _ := os.ReadDir(dir); err != nil || string(data) != "one" || len(files) != 1 {
		t.Errorf("%q, %v, %v", data, err, files)
	}
	if err := Write(os.DevNull, nil, text("two", nil)); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%v, %v", info, err)
	}
}

func TestPaths(t *testing.T) {
	if got := Paths("a.gguf", 1); !slices.Equal(got, []string{"a.gguf"}) {
		t.Errorf("one file: %q", got)
	}
	if got := Paths("a.gguf", 2); !slices.Equal(got, []string{"a-00001-of-00002.gguf", "a-00002-of-00002.gguf"}) {
		t.Errorf("two files: %q", got)
	}
}

func TestExplainFull(t *testing.T) {
	if err := ExplainFull(fmt.Errorf("m.gguf: %w", errNoSpace), 3<<20); !strings.Contains(err.Error(), "3.00 MiB are needed") {
		t.Error(err)
	}
	if err := ExplainFull(os.ErrExist, 1); err != os.ErrExist {
		t.Error(err)
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1.00 KiB", 3 << 29: "1.50 GiB", 1 << 52: "4096.00 TiB"} {
		if got := Size(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
