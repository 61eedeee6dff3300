package engine_test

import (
	"slices"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/sample"
)

// TestSoleTokens: tokens without an alternative need no step of their own, and all is as if each had been sampled from its logits,
// as it is where somebody wants to see the probabilities.
func TestSoleTokens(t *testing.T) {
	m := open(t, engine.Options{Context: 256, Sequences: 2})
	grammars := []string{`root ::= [a-z]{3} "𓀀𓀁" [a-z]{4} "𓀂"`, `root ::= ("𓀀" [0-9]){5}`, `root ::= [ab] "𓀀𓀁𓀂𓀃" | [cd] "𓀀"{30} [0-9]`}
	params := map[string]func(*sample.Params){
		"plain":    func(*sample.Params) {},
		"greedy":   func(p *sample.Params) { p.Temperature = 0 },
		"mirostat": func(p *sample.Params) { p.Mirostat = 2 },
		"xtc":      func(p *sample.Params) { p.XTCProbability, p.RepeatPenalty, p.RepeatLastN = 0.5, 1.3, 20 },
		"adaptive": func(p *sample.Params) { p.Samplers, p.AdaptiveTarget = []string{"top_k", "adaptive_p"}, 0.3 },
	}
	fewer := 0
	for name, change := range params {
		for i, g := range grammars {
			for seed := range int64(3) {
				r := engine.Request{Prompt: "Once", Grammar: gbnfOf(t, g), MaxTokens: 200, Sampling: m.DefaultSampling()}
				r.Sampling.Seed, r.Sampling.Temperature = seed, 1.2
				change(&r.Sampling)
				before := m.Stats().Steps
				got := must(t, m, r)
				middle := m.Stats().Steps
				r.Probs = true
				want := must(t, m, r)
				if got.text != want.text || !slices.Equal(got.tokens, want.tokens) || got.result.GeneratedTokens != want.result.GeneratedTokens {
					t.Errorf("%s, grammar %d, seed %d: %q, a step each %q", name, i, seed, got.text, want.text)
				}
				fewer += int(m.Stats().Steps - middle - (middle - before))
			}
		}
	}
	if fewer < 100 {
		t.Errorf("%d steps fewer", fewer)
	}
}

// TestSoleTokensEnd: they count for the limit, and their text for stop texts and for the context.
func TestSoleTokensEnd(t *testing.T) {
	m := open(t, engine.Options{Context: 64})
	for _, c := range []struct {
		change func(*engine.Request)
		tokens int
		stop   engine.StopReason
	}{
		{func(r *engine.Request) { r.MaxTokens = 5 }, 5, engine.StopLimit},
		{func(r *engine.Request) { r.Stop = []string{"𓀁"} }, 8, engine.StopText},
		{func(*engine.Request) {}, 64, engine.StopContext},
		{func(r *engine.Request) { r.ContextShift = true; r.MaxTokens = 150 }, 150, engine.StopLimit},
	} {
		r := engine.Request{Prompt: "Once", Grammar: gbnfOf(t, `root ::= ("𓀀" "𓀁" "𓀂"){100}`), Sampling: m.DefaultSampling()}
		c.change(&r)
		if a := must(t, m, r); a.result.Stop != c.stop || len(a.tokens) != c.tokens {
			t.Errorf("%d tokens, stop %s, want %d, %s", len(a.tokens), a.result.Stop, c.tokens, c.stop)
		}
	}
}
