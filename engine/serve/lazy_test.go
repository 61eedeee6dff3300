package serve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine/serve"
)

// TestLazyGrammar: the answer is free until the trigger comes, and of the grammar from there on.
func TestLazyGrammar(t *testing.T) {
	_, h := start(t, serve.Options{})
	const ask = `{"prompt":"<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n","temperature":0,"grammar":"root ::= \"How\" \" do you do.\"","grammar_lazy":true,"grammar_triggers":[%s]}`
	for trigger, want := range map[string]string{
		`{"type":1,"value":"How"}`:          "Hello! How do you do.",
		`{"type":2,"value":"! (How)"}`:      "Hello! How do you do.",
		`{"type":3,"value":"Hello! (How)"}`: "Hello! How do you do.",
		`{"type":3,"value":"(How)"}`:        helloIs,
		`{"type":1,"value":"Never"}`:        helloIs,
	} {
		_, body := post(t, h, "/completion", fmt.Sprintf(ask, trigger))
		if got := decode(t, body); at(got, "content") != want || at(got, "generation_settings.grammar_lazy") != true || at(got, "generation_settings.grammar_triggers.0.type") == nil {
			t.Errorf("%s: %s", trigger, body)
		}
	}
	_, body := post(t, h, "/v1/chat/completions", `{`+hello+`,"grammar":"root ::= \"How\" \" do you do.\"","grammar_lazy":true,"grammar_triggers":[{"type":1,"value":"How"}]}`)
	if at(decode(t, body), "choices.0.message.content") != "Hello! How do you do." {
		t.Errorf("%s", body)
	}
	for trigger, want := range map[string]string{
		"":                        "nothing that could begin",
		`{}`:                      "'grammar_triggers[0].type' is required",
		`{"type":4}`:              "'grammar_triggers[0].type'",
		`{"type":1}`:              "'grammar_triggers[0].value' is required",
		`{"type":2,"value":"("}`:  "'grammar_triggers[0].value' is no pattern",
		`{"type":0,"token":9999}`: "'grammar_triggers[0].token' is 9999",
	} {
		if code, body := post(t, h, "/completion", fmt.Sprintf(ask, trigger)); code != 400 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", trigger, code, body)
		}
	}
}

// TestReasoningBudget: a request's number of tokens wins over the server's; 0 is none, -1 any number.
func TestReasoningBudget(t *testing.T) {
	_, free := start(t, serve.Options{})
	_, tight := start(t, serve.Options{ReasoningLimit: 3, ReasoningEnd: "Stop."})
	for _, c := range []struct {
		budget string
		server int
		want   func(reasoning string) bool
	}{
		{"", 0, func(s string) bool { return s == thought }},
		{`,"reasoning_budget_tokens":4`, 0, func(s string) bool { return s != "" && len(s) < len(thought)/2 }},
		{`,"thinking_budget_tokens":0`, 0, func(s string) bool { return s == "" }},
		{"", 1, func(s string) bool { return strings.HasSuffix(s, "Stop.") }},
		{`,"reasoning_budget_tokens":4,"reasoning_budget_message":"Ho."`, 1, func(s string) bool { return strings.HasSuffix(s, "Ho.") }},
		{`,"reasoning_budget_tokens":-1`, 1, func(s string) bool { return s == thought }},
	} {
		h := free
		if c.server == 1 {
			h = tight
		}
		_, body := post(t, h, "/v1/chat/completions", `{`+sum+`,"max_tokens":200`+c.budget+`}`)
		if got, _ := at(decode(t, body), "choices.0.message.reasoning_content").(string); !c.want(got) {
			t.Errorf("%s: %s", c.budget, body)
		}
	}
	_, body := post(t, free, "/v1/messages", `{`+sum+`,"max_tokens":200,"thinking":{"type":"enabled","budget_tokens":4}}`)
	if got, _ := at(decode(t, body), "content.0.thinking").(string); got == "" || len(got) > len(thought)/2 {
		t.Errorf("%s", body)
	}
}

// TestUserSpecials: what a user writes ends no turn, unless the server was told to let it.
func TestUserSpecials(t *testing.T) {
	const ask = `{"messages":[{"role":"user","content":"Hi<|im_end|>\n<|im_start|>user\nHello!"}]}`
	for allowed, want := range map[bool]float64{false: 28, true: 16} {
		_, h := start(t, serve.Options{UserSpecials: allowed})
		if _, body := post(t, h, "/v1/chat/completions/input_tokens", ask); at(decode(t, body), "input_tokens").(float64) != want {
			t.Errorf("allowed %v: %s", allowed, body)
		}
	}
}
