package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/formats/gguf"
)

// TestSuppressed: tokens that a file says are never chosen, whatever else the request bans or favours.
func TestSuppressed(t *testing.T) {
	r := engine.Request{Prompt: "Once there was a", MaxTokens: 16, Sampling: sample.Params{}}
	first := must(t, open(t, engine.Options{}), r).tokens[0]
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := os.WriteFile(path, demo.Model(), 0o644); err != nil {
		t.Fatal(err)
	}
	path = withKeys(t, path, map[string]gguf.Value{"tokenizer.ggml.suppress_tokens": gguf.Int32s([]int32{int32(first)})})
	m, err := engine.Open(context.Background(), path, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, ignore := range []bool{false, true} {
		r.IgnoreEOG, r.Sampling.LogitBias = ignore, map[engine.Token]float32{first: 100}
		if a := must(t, m, r); len(a.tokens) == 0 || slices.Contains(a.tokens, first) {
			t.Errorf("ignoring ends %v: %v has %d", ignore, a.tokens, first)
		}
	}
}
