package engine_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/llamakit/llamakit/bench/model"
	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/quant"
)

// TestModelThatIsNotCausal: texts of a diffusion model are computed whole, whatever else runs, and not continued.
func TestModelThatIsNotCausal(t *testing.T) {
	shape, err := model.Named("tiny-dream")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "dream.gguf")
	if err := model.Write(path, shape, quant.F32, 1); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	m, err := engine.Open(ctx, path, engine.Options{Batch: 48, Sequences: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	text := func(n int) []engine.Token {
		tokens := make([]engine.Token, n)
		for i := range tokens {
			tokens[i] = engine.Token(i*i+n) % 96
		}
		return tokens
	}
	lengths := []int{48, 30, 5, 40, 17}
	alone := make([][][]float32, len(lengths))
	for i, n := range lengths {
		if alone[i], err = m.Logits(ctx, text(n)); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for i, n := range lengths {
		wg.Go(func() {
			got, err := m.Logits(ctx, text(n))
			if err != nil || !slices.EqualFunc(got, alone[i], slices.Equal[[]float32]) {
				t.Errorf("%d tokens: logits differ in company (%v)", n, err)
			}
		})
	}
	wg.Wait()
	visited := make([][]float32, 40)
	keep := func(pos int, logits []float32) { visited[pos] = slices.Clone(logits) }
	if err := m.VisitLogits(ctx, text(40), 35, keep); err != nil || !slices.EqualFunc(visited[35:], alone[3][35:], slices.Equal[[]float32]) {
		t.Errorf("the last rows alone: other logits (%v)", err)
	}
	if last, _ := m.Logits(ctx, append(text(40), 7)); slices.Equal(last[0], alone[3][0]) {
		t.Error("the first position does not see the last")
	}
	if _, err := m.Logits(ctx, text(49)); !errors.Is(err, engine.ErrPromptTooLong) {
		t.Errorf("a text longer than a batch: %v", err)
	}
	if _, err := generate(ctx, m, engine.Request{Tokens: text(5), MaxTokens: 1}); !errors.Is(err, engine.ErrNotCausal) {
		t.Errorf("generating: %v", err)
	}
}
