package gguf

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/formats/internal/mmap"
)

// compareWriter compares what is written with what should be, without keeping it.
type compareWriter struct {
	want []byte
	pos  int
}

func (w *compareWriter) Write(b []byte) (int, error) {
	if w.pos+len(b) > len(w.want) || !bytes.Equal(w.want[w.pos:w.pos+len(b)], b) {
		return 0, fmt.Errorf("differs at byte %d or after it", w.pos)
	}
	w.pos += len(b)
	return len(b), nil
}

// sameRewritten reads a file of llama.cpp's and writes it again, which must give the same bytes.
func sameRewritten(t *testing.T, path string) {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	m, err := mmap.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	w := &compareWriter{want: m.Data}
	if err := rewrite(f, w); err != nil || w.pos != len(m.Data) {
		t.Errorf("%s: rewritten: %d of %d bytes, %v", filepath.Base(path), w.pos, len(m.Data), err)
	}
}

// TestPeerFiles opens what llama.cpp v0.7.0 wrote: one random model of every architecture and one file of every block
// type. Our writer makes the same bytes of them.
func TestPeerFiles(t *testing.T) {
	for name, dir := range map[string]func(t *testing.T) string{
		"archs": func(t *testing.T) string { return golden.Peer(t, "archs") },
		"quant": func(t *testing.T) string { return golden.Shared(t, "golden", "quant") },
	} {
		t.Run(name, func(t *testing.T) { eachFile(t, dir(t), sameRewritten) })
	}
}

// TestPeerVocabularies opens vocabularies that gguf-py wrote. It does not pad a header that no tensor follows, so here
// only the content is compared.
func TestPeerVocabularies(t *testing.T) {
	eachFile(t, golden.Shared(t, "golden", "vocab"), func(t *testing.T, path string) {
		f, err := Open(path)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		roundTrip(t, f)
		if tokens := f.Metadata.Reader("tokenizer.ggml").Strs("tokens"); len(tokens) < 1000 {
			t.Errorf("%s: %d tokens", path, len(tokens))
		}
	})
}

func eachFile(t *testing.T, dir string, check func(t *testing.T, path string)) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.gguf"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, path := range paths {
		check(t, path)
	}
	t.Logf("%d files", len(paths))
}
