package engine_test

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/llamakit/llamakit/bench/model"
	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/formats/quant"
)

func openTiny(t *testing.T, name string, o engine.Options) *engine.Model {
	t.Helper()
	shape, err := model.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name+".gguf")
	if err := model.Write(path, shape, quant.F16, 7); err != nil {
		t.Fatal(err)
	}
	m, err := engine.Open(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// recurrentPrompt is the n-th of some prompts that begin alike.
func recurrentPrompt(n int) engine.Request {
	tokens := make([]engine.Token, 70+9*n)
	for i := range tokens {
		tokens[i] = engine.Token(i*i*5+i+i/60*n) % 96
	}
	return engine.Request{Tokens: tokens, MaxTokens: 40, Sampling: sample.Params{Seed: int64(n), Temperature: 1, TopP: 1, TypicalP: 1, RepeatPenalty: 1}}
}

// TestRecurrentModels: answers are the same tokens alone and in company, in chunks, from a checkpoint, and when sequences are put
// back because the cache is full; and with as few slots for states as can be.
func TestRecurrentModels(t *testing.T) {
	const prompts = 6
	for _, name := range []string{"tiny-mamba", "tiny-falcon-h1", "tiny-qwen35", "tiny-lfm2"} {
		t.Run(name, func(t *testing.T) {
			var want [prompts][]engine.Token
			for i := range want {
				want[i] = must(t, openTiny(t, name, engine.Options{Threads: 1, Sequences: 1}), recurrentPrompt(i)).tokens
			}
			for _, o := range []engine.Options{{Threads: 2, Sequences: 6}, {Threads: 2, Sequences: 4, Batch: 11}, {Threads: 1, Sequences: 5, Context: 200}} {
				m := openTiny(t, name, o)
				for round := range 2 {
					var wg sync.WaitGroup
					for i := range want {
						wg.Add(1)
						go func() {
							defer wg.Done()
							got, err := generate(context.Background(), m, recurrentPrompt(i))
							if err != nil || !slices.Equal(got.tokens, want[i]) {
								t.Errorf("%+v, round %d, prompt %d: got %v (%v), want %v", o, round, i, got.tokens, err, want[i])
							}
						}()
					}
					wg.Wait()
				}
				again := recurrentPrompt(5)
				must(t, m, again) // pages of the others may have taken the place of its own
				again.Tokens = append(again.Tokens, want[5]...)
				if got := must(t, m, again); got.result.CachedTokens != len(again.Tokens)-1 {
					t.Errorf("%+v: the next turn found %d of %d tokens", o, got.result.CachedTokens, len(again.Tokens))
				}
			}
		})
	}
}

func TestRecurrentMemory(t *testing.T) {
	for name, attention := range map[string]bool{"tiny-mamba": false, "tiny-lfm2": true, "tiny-qwen3": true} {
		m := openTiny(t, name, engine.Options{Sequences: 3}).Info().Memory
		if recurrent := name != "tiny-qwen3"; m.State > 0 != recurrent || m.Cache > 0 != attention {
			t.Errorf("%s: %+v, want states %v and pages %v", name, m, recurrent, attention)
		}
	}
}

func TestRecurrentLogits(t *testing.T) {
	tokens := recurrentPrompt(3).Tokens
	var want [][]float32
	for _, batch := range []int{0, 7, 40} {
		got, err := openTiny(t, "tiny-falcon-h1", engine.Options{Batch: batch}).Logits(context.Background(), tokens)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		for i := range want {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("batches of %d: logits of position %d differ", batch, i)
			}
		}
	}
}
