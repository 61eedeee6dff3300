package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/engine/vocab"
)

// TestPast: an answer that is gone on with from one of its tokens is the answer, and its past comes from the cache.
func TestPast(t *testing.T) {
	m := open(t, engine.Options{Context: 256})
	for name, r := range map[string]engine.Request{
		"prompt":   {Prompt: "Once upon a time there was", MaxTokens: 24, Sampling: sample.Params{}},
		"messages": {Messages: []chat.Message{{Role: "user", Content: "What is the capital of France?"}}, MaxTokens: 24},
		"grammar":  {Prompt: "Numbers: ", MaxTokens: 24, Grammar: gbnfOf(t, `root ::= [0-9]{12} "."`)},
	} {
		whole := must(t, m, r)
		for _, n := range []int{1, len(whole.tokens) / 2, len(whole.tokens) - 1} {
			r.Past = whole.tokens[:n]
			got := must(t, m, r)
			if !slices.Equal(got.tokens, whole.tokens) || got.text != whole.text || got.result.Stop != whole.result.Stop {
				t.Errorf("%s, from %d: %q %v, want %q %v", name, n, got.text, got.result.Stop, whole.text, whole.result.Stop)
			}
			if got.result.GeneratedTokens != len(whole.tokens)-n {
				t.Errorf("%s, from %d: %d tokens were generated", name, n, got.result.GeneratedTokens)
			}
		}
	}
}

func TestPastFaults(t *testing.T) {
	m := open(t, engine.Options{Context: 64})
	for name, c := range map[string]struct {
		request engine.Request
		want    string
	}{
		"no such token": {engine.Request{Past: []engine.Token{-3}}, "no such token"},
		"all there is":  {engine.Request{Past: []engine.Token{5, 6}, MaxTokens: 2}, "at most"},
		"ended":         {engine.Request{Past: []engine.Token{m.Vocab().EOT, 6}}, "ends the answer"},
		"too long":      {engine.Request{Past: make([]engine.Token, 80)}, "fit"},
		"grammar":       {engine.Request{Past: m.Vocab().Encode("no", vocab.EncodeOptions{}), Grammar: gbnfOf(t, `root ::= "yes"`)}, "grammar"},
	} {
		c.request.Prompt = "x"
		if _, err := m.Prepare(c.request); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
	}
}

func TestDigest(t *testing.T) {
	m := open(t, engine.Options{Context: 64})
	a, err := m.Digest()
	if err != nil || len(a) != len("xxh64:0123456789abcdef") {
		t.Fatalf("%q, %v", a, err)
	}
	if b, _ := m.Digest(); a != b {
		t.Errorf("%s and %s", a, b)
	}
}

// TestRequestTemplate: a request can have a template of its own.
func TestRequestTemplate(t *testing.T) {
	m := open(t, engine.Options{Context: 64})
	own, err := chat.Parse(`{{ messages[0].content | upper }}`)
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := m.Prompt(engine.Request{Messages: []chat.Message{{Role: "user", Content: "hi"}}, Template: engine.TemplateOptions{Use: own}})
	if err != nil || text != "HI" {
		t.Errorf("%q, %v", text, err)
	}
}
