package engine_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/chat/calls"
	"github.com/llamakit/llamakit/engine/demo"
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

// mistral is a template of a family whose calls have control tokens, of which the vocabulary of the test has [TOOL_CALLS].
const mistral = "{{ tools | tojson }}{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] %}[TOOL_CALLS]{{ c.function.name }}[ARGS]{{ c.function.arguments | tojson }}{% endfor %}{% endfor %}"

// TestCallMarks: a call may be written with the control tokens of its format, which are seen then, and only then.
func TestCallMarks(t *testing.T) {
	data := bytes.ReplaceAll(demo.Model(), []byte("<|im_start|>"), []byte("[TOOL_CALLS]"))
	m, err := engine.OpenBytes(context.Background(), "marked", data, engine.Options{Context: 256, Template: mistral})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	mark, ok := m.Vocab().Lookup("[TOOL_CALLS]")
	if !ok || !m.Vocab().IsControl(mark) || m.Template().CallFormat().Name != "mistral-v11" {
		t.Fatalf("token %d, format %s", mark, m.Template().CallFormat().Name)
	}
	tools := []calls.Tool{{Name: "add", Parameters: []byte(`{"type": "object", "properties": {"a": {"const": 12}}, "required": ["a"], "additionalProperties": false}`)}}
	for _, c := range []struct {
		required bool
		answer   string
		ok       bool
	}{
		{true, `[TOOL_CALLS]add[ARGS]{"a": 12}`, true},
		{false, `So [TOOL_CALLS]add[ARGS]{"a": 12}[TOOL_CALLS]add[ARGS]{"a": 12}`, true},
		{false, `[TOOL_CALLS]add[ARGS]{"a": 13}`, false},
		{false, `[TOOL_CALLS]sub[ARGS]{"a": 12}`, false},
	} {
		form, err := m.Template().CallFormat().Compile(tools, calls.Options{Required: c.required})
		if err != nil {
			t.Fatal(err)
		}
		r := engine.Request{Messages: []chat.Message{{Role: "user", Content: "x"}}, Sampling: m.DefaultSampling(), Calls: form,
			Script: m.Vocab().Encode(c.answer, vocab.EncodeOptions{ParseSpecial: true})}
		r.MaxTokens = len(r.Script)
		a, err := generate(context.Background(), m, r)
		if (err == nil) != c.ok || c.ok && a.text != c.answer {
			t.Errorf("%q: %v, %q", c.answer, err, a.text)
		}
		r.Calls = nil
		if a := must(t, m, r); strings.Contains(a.text, "[TOOL") {
			t.Errorf("without tools the mark shows: %q", a.text)
		}
	}
	form, err := m.Template().CallFormat().Compile(tools, calls.Options{Required: true, Single: true})
	if err != nil {
		t.Fatal(err)
	}
	r := engine.Request{Messages: []chat.Message{{Role: "user", Content: "x"}}, Sampling: m.DefaultSampling(), Calls: form, MaxTokens: 64}
	r.Sampling.LogitBias = map[engine.Token]float32{mark: 100}
	var tokens []engine.Token
	for e, err := range m.Generate(context.Background(), r) {
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, e.Tokens...)
	}
	if tokens[0] != mark || !strings.HasPrefix(m.Vocab().Decode(tokens, true), `[TOOL_CALLS]add[ARGS]{`) {
		t.Errorf("%q", m.Vocab().Decode(tokens, true))
	}
}
