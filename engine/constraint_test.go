package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/grammar/schema"
)

func schemaOf(t testing.TB, text string) *grammar.Grammar {
	t.Helper()
	g, err := grammar.FromSchema([]byte(text), schema.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func gbnfOf(t testing.TB, text string) *grammar.Grammar {
	t.Helper()
	g, err := grammar.ParseGBNF(text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// within reports whether a text is all of, or where it was cut the beginning of one of, a grammar.
func within(g *grammar.Grammar, a answer) error {
	m := g.Matcher(nil)
	if n, err := m.AcceptBytes([]byte(a.text)); err != nil {
		return fmt.Errorf("%w in %q at byte %d", err, a.text, n)
	}
	if a.result.Stop == engine.StopEOS && !m.CanStop() {
		return fmt.Errorf("%q is not complete", a.text)
	}
	return nil
}

// TestConstrained asks for answers that the model would not give by itself.
func TestConstrained(t *testing.T) {
	m := open(t, engine.Options{Context: 512, Sequences: 2})
	grammars := map[string]*grammar.Grammar{
		"enum":   schemaOf(t, `{"enum": ["red", 7, null, {"a": []}]}`),
		"object": schemaOf(t, `{"type": "object", "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 99}, "s": {"type": "string", "maxLength": 8}}, "required": ["n", "s"], "additionalProperties": false}`),
		"array":  schemaOf(t, `{"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 3}`),
		"gbnf":   gbnfOf(t, `root ::= "yes" | "no" | "é" [0-9]{3}`),
	}
	for name, g := range grammars {
		var wg sync.WaitGroup
		for seed := range int64(6) {
			r := engine.Request{Prompt: "Once", Grammar: g, MaxTokens: 64}
			if r.Sampling = m.DefaultSampling(); seed%2 == 1 {
				r = engine.Request{Messages: []chat.Message{{Role: "user", Content: "Hello!"}}, Grammar: g, MaxTokens: 128, Sampling: r.Sampling}
			}
			if r.Sampling.Seed, r.Sampling.Temperature = seed, 1.5; seed < 2 {
				r.Sampling.Temperature = 0
			}
			wg.Go(func() {
				a, err := generate(context.Background(), m, r)
				if err == nil {
					err = within(g, a)
				}
				if err != nil || a.result.Stop != engine.StopEOS || name != "gbnf" && !json.Valid([]byte(a.text)) {
					t.Errorf("%s, seed %d: %v, stop %s, %q", name, seed, err, a.result.Stop, a.text)
				}
			})
		}
		wg.Wait()
	}
}

// TestConstraintEnds holds the ends apart: the grammar's, the limit's and a stop text's.
func TestConstraintEnds(t *testing.T) {
	m := open(t, engine.Options{Context: 64})
	for _, c := range []struct {
		grammar string
		change  func(*engine.Request)
		text    string
		stop    engine.StopReason
	}{
		{`root ::= "abc"`, func(*engine.Request) {}, "abc", engine.StopEOS},
		{`root ::= "abc"`, func(r *engine.Request) { r.IgnoreEOG = true }, "abc", engine.StopEOS},
		{`root ::= "abc"`, func(r *engine.Request) { r.Stop = []string{"c"} }, "ab", engine.StopText},
		{`root ::= "a"{40}`, func(r *engine.Request) { r.MaxTokens = 1 }, "", engine.StopLimit},
		{`root ::= ("a" "b"){200}`, func(r *engine.Request) { r.ContextShift = true }, strings.Repeat("ab", 200), engine.StopEOS},
	} {
		g := gbnfOf(t, c.grammar)
		r := engine.Request{Prompt: "Once", Grammar: g, Sampling: m.DefaultSampling()}
		c.change(&r)
		a := must(t, m, r)
		if err := within(g, a); err != nil || a.result.Stop != c.stop || c.text != "" && a.text != c.text {
			t.Errorf("%s: %q, stop %s, %v", c.grammar, a.text, a.result.Stop, err)
		}
	}
}

// TestConstraintAfterReasoning: the demo model thinks over sums; its thoughts are free, and no content precedes the grammar's.
func TestConstraintAfterReasoning(t *testing.T) {
	m := open(t, engine.Options{Context: 512})
	g := schemaOf(t, `{"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"], "additionalProperties": false}`)
	r := engine.Request{Messages: []chat.Message{{Role: "user", Content: "What is 12 + 30?"}}, Sampling: m.DefaultSampling(), MaxTokens: 200}
	r.Sampling.Temperature = 0
	free := must(t, m, r)
	r.Grammar = g
	a := must(t, m, r)
	if a.reasoning == "" || a.reasoning != free.reasoning {
		t.Errorf("reasoning %q, without a grammar %q", a.reasoning, free.reasoning)
	}
	if err := within(g, a); err != nil || a.result.Stop != engine.StopEOS {
		t.Errorf("%v, stop %s", err, a.result.Stop)
	}
	r.Template.Thinking = engine.ThinkingOff
	if a := must(t, m, r); a.reasoning != "" || within(g, a) != nil {
		t.Errorf("thinking is off: %q, %q", a.reasoning, a.text)
	}
}

// TestConstraintPrefill continues a content that was begun; one that the grammar does not know is refused at the door.
func TestConstraintPrefill(t *testing.T) {
	m := open(t, engine.Options{Context: 512})
	r := engine.Request{Grammar: schemaOf(t, `{"enum": ["red", "green"]}`), Sampling: m.DefaultSampling(), Template: engine.TemplateOptions{Continue: true},
		Messages: []chat.Message{{Role: "user", Content: "Hello!"}, {Role: "assistant", Content: `"gr`}}}
	if a := must(t, m, r); a.text != `een"` {
		t.Errorf("%q", a.text)
	}
	r.Messages = slices.Clone(r.Messages)
	r.Messages[1].Content = "Well"
	if _, err := m.Prepare(r); !errors.Is(err, engine.ErrPrefill) {
		t.Errorf("%v", err)
	}
}

// TestConstraintProbs: the probabilities of the model's own are not changed by a grammar, those after the samplers are.
func TestConstraintProbs(t *testing.T) {
	m := open(t, engine.Options{Context: 64})
	for _, drawn := range []bool{false, true} {
		r := engine.Request{Prompt: "Once", Grammar: gbnfOf(t, `root ::= "Z"`), Sampling: m.DefaultSampling(), Probs: true, ProbsDrawn: drawn}
		for e, err := range m.Generate(context.Background(), r) {
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range e.Probs {
				if certain := p.Logprob > -0.01; certain != drawn {
					t.Errorf("drawn %v: %v", drawn, p.Prob)
				}
			}
		}
	}
}

// TestConstraintOfTokens: a grammar that names the tokens of reasoning is one of the reasoning too.
func TestConstraintOfTokens(t *testing.T) {
	m := open(t, engine.Options{Context: 512})
	g, err := grammar.ParseGBNFTokens(`root ::= <think> !</think>{3} </think> "x"`, m.Vocab().Lookup)
	if err != nil {
		t.Fatal(err)
	}
	r := engine.Request{Messages: []chat.Message{{Role: "user", Content: "Hello!"}}, Sampling: m.DefaultSampling(), Grammar: g}
	if a := must(t, m, r); a.text != "x" || a.reasoning == "" || len(a.tokens) != 6 || a.result.Stop != engine.StopEOS {
		t.Errorf("%q, reasoning %q, %d tokens, stop %s", a.text, a.reasoning, len(a.tokens), a.result.Stop)
	}
}
