package engine_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/llamakit/llamakit/bench/model"
	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/quant"
)

// TestDrive: sequences begin in one step, find what is cached, and take as many steps as asked for.
func TestDrive(t *testing.T) {
	shape, _ := model.Named("tiny-qwen3")
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := model.Write(path, shape, quant.F32, 1); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	m, err := engine.Open(ctx, path, engine.Options{Context: 128, Sequences: 3, Cache: 512})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	text := make([]engine.Token, 70)
	one := func() engine.Token { return 1 }
	for i, cached := range []int{0, 69} { // the last token is computed for its logits
		d, err := m.Drive(ctx, [][]engine.Token{text}, 0, one)
		if err != nil || d[0].Cached != cached || d[0].Chosen != 0 || d[0].Time <= 0 {
			t.Errorf("run %d: %+v, %v, want %d cached", i, d, err, cached)
		}
	}
	prompts := [][]engine.Token{append(text[:70:70], 5), append(text[:70:70], 6), {7}}
	d, err := m.Drive(ctx, prompts, 4, one)
	if err != nil || d[0].Cached != 70 || d[1].Cached != 70 || d[2].Cached != 0 || d[0].Chosen != 4 || d[2].Chosen != 4 {
		t.Errorf("%+v, %v", d, err)
	}
	if _, err := m.Drive(ctx, [][]engine.Token{{}}, 1, one); !errors.Is(err, engine.ErrEmptyPrompt) {
		t.Error(err)
	}
	if _, err := m.Drive(ctx, [][]engine.Token{{1}, {-1}}, 1, one); !errors.Is(err, engine.ErrBadToken) {
		t.Error(err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := m.Drive(cancelled, [][]engine.Token{{1}, {2}}, 1, one); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
