package engine_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/vocab"
)

// TestTriggers lets the model write given answers: the grammar holds from the trigger on, also from within a token, and not before.
func TestTriggers(t *testing.T) {
	m := open(t, engine.Options{Context: 512})
	call, _ := m.Vocab().Lookup("<|im_start|>")
	word := engine.Trigger{Word: "GO"}
	pattern := engine.Trigger{Pattern: regexp.MustCompile(`say: *(\d)`)}
	for _, c := range []struct {
		grammar, answer string
		trigger         engine.Trigger
		ok, ends        bool
	}{
		{`root ::= "GO" [0-9]+ "."`, "Nothing goes here", word, true, false},
		{`root ::= "GO" [0-9]+ "."`, "Well, GO12.", word, true, true},
		{`root ::= "GO" [0-9]+ "."`, "Well, GOing", word, false, false},
		{`root ::= "GO" [0-9]+ "."`, "GO1x", word, false, false},
		{`root ::= [0-9]+ "!"`, "I say: 45!", pattern, true, true},
		{`root ::= [0-9]+ "!"`, "I say: 45?", pattern, false, false},
		{`root ::= "<|im_start|>" "x"`, "a b<|im_start|>x", engine.Trigger{Token: call}, true, true},
		{`root ::= "<|im_start|>" "x"`, "a b<|im_start|>y", engine.Trigger{Token: call}, false, false},
	} {
		r := engine.Request{Prompt: "Once", Sampling: m.DefaultSampling(), Script: m.Vocab().Encode(c.answer, vocab.EncodeOptions{ParseSpecial: true}),
			Grammar: gbnfOf(t, c.grammar), Triggers: []engine.Trigger{c.trigger}, Preserved: []engine.Token{call}}
		r.MaxTokens = len(r.Script)
		a, err := generate(context.Background(), m, r)
		if (err == nil) != c.ok || c.ok && (a.text != c.answer || (a.result.Stop == engine.StopEOS) != c.ends) {
			t.Errorf("%s, %q: %v, %q, stop %s", c.grammar, c.answer, err, a.text, a.result.Stop)
		}
	}
}

// TestTriggerWithinToken: of the tokens that complete a trigger only those are sampled whose rest the grammar allows.
func TestTriggerWithinToken(t *testing.T) {
	m := open(t, engine.Options{Context: 512})
	for seed := range int64(20) {
		r := engine.Request{Prompt: "Once", Sampling: m.DefaultSampling(), MaxTokens: 60, Grammar: gbnfOf(t, `root ::= "e" [0-9]{3}`), Triggers: []engine.Trigger{{Word: "e"}}}
		r.Sampling.Seed, r.Sampling.Temperature = seed, 2
		a := must(t, m, r)
		if i := strings.Index(a.text, "e"); i >= 0 && len(a.text) > i+1 && strings.Trim(a.text[i+1:], "0123456789") != "" {
			t.Errorf("%q", a.text)
		}
	}
}

// TestReasoningLimit cuts the reasoning over a sum, and the answer comes nevertheless.
func TestReasoningLimit(t *testing.T) {
	m := open(t, engine.Options{Context: 512})
	r := engine.Request{Messages: []chat.Message{{Role: "user", Content: "What is 12 + 30?"}}, Sampling: m.DefaultSampling(), MaxTokens: 200}
	r.Sampling.Temperature = 0
	free := must(t, m, r)
	for _, c := range []struct {
		limit   int
		message string
		want    string
	}{{0, "", free.reasoning}, {1000, "", free.reasoning}, {5, "", ""}, {5, "Enough.", "Enough."}, {-1, "", ""}} {
		r.ReasoningLimit, r.ReasoningEnd = c.limit, c.message
		for _, bound := range []bool{false, true} {
			r.Grammar = nil
			if bound {
				r.Grammar = schemaOf(t, `{"const": 42}`)
			}
			a := must(t, m, r)
			switch cut := strings.TrimSuffix(a.reasoning, c.message); {
			case c.limit < 0 && a.reasoning != "", c.limit >= 0 && len(a.reasoning) == 0, !strings.HasSuffix(a.reasoning, c.want),
				c.limit == 5 && (len(cut) >= len(free.reasoning)/2 || !strings.HasPrefix(free.reasoning, strings.TrimSpace(cut))):
				t.Errorf("limit %d: reasoning %q", c.limit, a.reasoning)
			case a.text == "", bound && a.text != "42", a.result.Stop != engine.StopEOS:
				t.Errorf("limit %d: answer %q, stop %s", c.limit, a.text, a.result.Stop)
			}
		}
	}
}

// TestReasoningLimitTemplate: what is reasoning is for the request's own template to say.
func TestReasoningLimitTemplate(t *testing.T) {
	m := open(t, engine.Options{Context: 512})
	own, err := chat.Parse(strings.NewReplacer("<think>", "[THINK]", "</think>", "[/THINK]").Replace(m.Template().Source()))
	if err != nil {
		t.Fatal(err)
	}
	r := engine.Request{Messages: []chat.Message{{Role: "user", Content: "What is 12 + 30?"}}, Sampling: m.DefaultSampling(), MaxTokens: 200}
	r.Sampling.Temperature, r.Template.Use = 0, own
	free := must(t, m, r)
	r.ReasoningLimit = 5
	if a := must(t, m, r); a.text != free.text || free.reasoning != "" {
		t.Errorf("%q, without a limit %q", a.text, free.text)
	}
}
