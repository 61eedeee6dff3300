package engine_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/llamakit/llamakit/engine"
)

// TestVisitLogits compares rows that are visited, alone and in company and after a cached prefix, with those of Logits.
func TestVisitLogits(t *testing.T) {
	tokens := make([]engine.Token, 100)
	for i := range tokens {
		tokens[i] = engine.Token(i*53) % 4000
	}
	want, err := open(t, engine.Options{}).Logits(context.Background(), tokens)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []engine.Options{{Threads: 1, Context: 128, Cache: 512}, {Threads: 3, Batch: 24, Outputs: 5}, {Outputs: 512, Sequences: 2}} {
		m := open(t, o)
		var wg sync.WaitGroup
		for _, from := range []int{0, 50, 99, 50} {
			wg.Go(func() {
				got := make([][]float32, len(tokens))
				err := m.VisitLogits(context.Background(), tokens, from, func(pos int, logits []float32) { got[pos] = slices.Clone(logits) })
				if err != nil {
					t.Error(err)
				}
				for i := range tokens {
					if i < from && got[i] != nil || i >= from && !slices.Equal(got[i], want[i]) {
						t.Errorf("%+v from %d: position %d differs", o, from, i)
						return
					}
				}
			})
		}
		wg.Wait()
	}
}

func TestVisitLogitsRefuses(t *testing.T) {
	m := open(t, engine.Options{Context: 64})
	visit := func(int, []float32) { t.Error("visited") }
	for _, c := range []struct {
		tokens []engine.Token
		from   int
		want   error
	}{{nil, 0, engine.ErrEmptyPrompt}, {[]engine.Token{1}, 1, nil}, {[]engine.Token{1}, -1, nil}, {[]engine.Token{9999}, 0, engine.ErrBadToken}, {make([]engine.Token, 65), 64, engine.ErrPromptTooLong}} {
		err := m.VisitLogits(context.Background(), c.tokens, c.from, visit)
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%d tokens from %d: %v", len(c.tokens), c.from, err)
		}
	}
}
