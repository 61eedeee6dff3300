package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat/calls"
	"github.com/llamakit/llamakit/engine/vocab"
)

// TestCalls lets the model write given answers, in their usual tokens, which reach over the borders of a call's parts: what is no
// call of the form is refused where it stops being one.
func TestCalls(t *testing.T) {
	m := open(t, engine.Options{Context: 512})
	tools := []calls.Tool{{Name: "add", Parameters: []byte(`{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}`)}}
	const one = "<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 12}}\n</tool_call>"
	for _, c := range []struct {
		required, single bool
		answer           string
		ok, ends         bool
	}{
		{false, false, "Just < text }\n", true, false},
		{false, false, "Well.\n" + one + "\n" + one + "\n", true, false},
		{false, false, "Well.\n" + one + " more text", true, false},
		{false, true, "Well.\n" + one, true, true},
		{true, true, one, true, true},
		{true, false, one + "\n" + one, true, false},
		{true, true, "Well.", false, false},
		{false, false, strings.Replace(one, "12", "true", 1), false, false},
		{false, false, strings.Replace(one, "add", "sub", 1), false, false},
		{false, false, one + "\n" + strings.Replace(one, "}}", "}", 1), false, false},
	} {
		form, err := calls.Hermes.Compile(tools, calls.Options{Required: c.required, Single: c.single})
		if err != nil {
			t.Fatal(err)
		}
		r := engine.Request{Prompt: "Once", Sampling: m.DefaultSampling(), Script: m.Vocab().Encode(c.answer, vocab.EncodeOptions{ParseSpecial: true}),
			Calls: form}
		r.MaxTokens = len(r.Script)
		a, err := generate(context.Background(), m, r)
		if (err == nil) != c.ok || c.ok && a.text != c.answer || c.ok && (a.result.Stop == engine.StopEOS) != c.ends {
			t.Errorf("required %v, single %v, %q: %v, %q, stop %s", c.required, c.single, c.answer, err, a.text, a.result.Stop)
		}
	}
}
