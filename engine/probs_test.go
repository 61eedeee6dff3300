package engine_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/engine/vocab"
)

// TestProbs: every token has its probability, the model's own also where it was chosen greedily.
func TestProbs(t *testing.T) {
	m := open(t, engine.Options{Context: 128})
	r := engine.Request{Prompt: "What is the capital of France?", MaxTokens: 6, PastEOG: true, Probs: true, TopProbs: 3, Trace: 2}
	r.Sampling.Temperature = 0
	tokens := 0
	for e, err := range m.Generate(context.Background(), r) {
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Probs) != len(e.Tokens) {
			t.Fatalf("%d tokens with %d probabilities", len(e.Tokens), len(e.Probs))
		}
		for i, p := range e.Probs {
			tokens++
			if p.Token != e.Tokens[i] || len(p.Top) != 3 || p.Top[0] != p.Prob || p.Logprob >= 0 || p.Top[1].Logprob > p.Logprob {
				t.Errorf("token %d: %+v", e.Tokens[i], p)
			}
			if len(e.Trace) < 2 || e.Trace[0].Left != m.Vocab().Size() || e.Trace[len(e.Trace)-1].Left != 1 {
				t.Errorf("trace %+v", e.Trace)
			}
		}
	}
	if tokens != 6 {
		t.Errorf("%d tokens", tokens)
	}
	r.ProbsDrawn = true
	for e, err := range m.Generate(context.Background(), r) {
		for _, p := range e.Probs {
			if err != nil || p.Logprob != 0 || len(p.Top) != 1 {
				t.Errorf("after the samplers: %+v, %v", p, err)
			}
		}
	}
}

// TestScript: a given answer comes token by token, and stops where the request says; its probabilities are the model's.
func TestScript(t *testing.T) {
	m := open(t, engine.Options{Context: 128})
	script := m.Vocab().Encode("AAA OP QRS", vocab.EncodeOptions{})
	r := engine.Request{Prompt: "x", MaxTokens: len(script), Script: script, Stop: []string{"P Q"}, Probs: true}
	text, sum := "", 0.0
	for e, err := range m.Generate(context.Background(), r) {
		if err != nil {
			t.Fatal(err)
		}
		text += e.Text
		for _, p := range e.Probs {
			sum += float64(p.Logprob)
		}
		if e.Result != nil && (e.Result.Stop != engine.StopText || e.Result.StopText != "P Q") {
			t.Errorf("result %+v", e.Result)
		}
	}
	if text != "AAA O" || sum >= 0 || math.IsInf(sum, 0) {
		t.Errorf("text %q with the logarithm %g", text, sum)
	}
	r.Script = []engine.Token{1 << 20}
	if _, err := m.Prepare(r); !errors.Is(err, engine.ErrBadToken) {
		t.Errorf("a token that is not there: %v", err)
	}
}

// TestSameUnderLoad: a request with a seed gives the same tokens alone, and beside others that share its prompt or not, while
// slots and pages are scarce.
func TestSameUnderLoad(t *testing.T) {
	const prompt = "Once upon a time there was a girl who lived in a house by the sea and wrote letters every day."
	request := func(seed int64, text string) engine.Request {
		r := engine.Request{Prompt: text, MaxTokens: 12, PastEOG: true, Sampling: sample.DefaultParams()}
		r.Sampling.Seed, r.Sampling.Temperature = seed, 1.5
		return r
	}
	alone := open(t, engine.Options{Context: 96, Threads: 1})
	want := make([]answer, 4)
	for i := range want {
		want[i] = must(t, alone, request(int64(i), prompt))
	}
	busy := open(t, engine.Options{Context: 96, Threads: 2, Sequences: 6, Batch: 40})
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			if i%3 == 2 {
				must(t, busy, request(int64(i), prompt[i:]+" Her brother"))
				return
			}
			if got := must(t, busy, request(int64(i%4), prompt)); !slices.Equal(got.tokens, want[i%4].tokens) {
				t.Errorf("seed %d: %q under load, %q alone", i%4, got.text, want[i%4].text)
			}
		})
	}
	wg.Wait()
}

func TestPinnedSlotIsChecked(t *testing.T) {
	m := open(t, engine.Options{Context: 64, Sequences: 2})
	if _, err := m.Prepare(engine.Request{Prompt: "x", Pinned: true, Slot: 2}); !errors.Is(err, engine.ErrNoSlot) {
		t.Errorf("slot 2 of 2: %v", err)
	}
}
