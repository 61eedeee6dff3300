package chat

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestParseConversation: fields are kept as they are and in their order, known or not.
func TestParseConversation(t *testing.T) {
	messages := []string{
		`{"name": "ann", "role": "user", "mood": {"b": 1.0, "a": null}, "content": "Hi"}`,
		`{"content": null, "role": "assistant", "tool_calls": [{"index": 0, "function": {"arguments": {"z": 1, "a": 2}, "name": "f", "x": true}, "type": "function", "id": "1"}]}`,
		`{"role": "tool", "tool_call_id": "1", "content": [{"type": "text", "cache": true, "text": "é"}, {"type": "image", "url": "x"}, "bare"]}`,
		`{"role": "assistant", "tool_calls": [{"name": "g", "arguments": "x"}], "reasoning_content": "why"}`,
		`{"role": "assistant", "content": "", "name": "", "reasoning_content": null, "tool_calls": []}`,
		`{"role": "odd", "content": {"a": 1}, "tool_calls": "none"}`,
		`{"role": 5, "content": 12345678901234567890}`,
		`{}`,
		`{"Role": "user", "Content": "x", "tool_calls": [{"funCtion": {"name": "f"}}], "content": [{"Type": "text", "text": "x"}]}`,
	}
	in, err := ParseConversation([]byte(`{"messages": [` + strings.Join(messages, ", ") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := render(t, mustParse(t, "{% for m in messages %}{{ m | tojson }}\n{% endfor %}"), in)
	for i, line := range strings.Split(strings.TrimSpace(got), "\n") {
		if line != messages[i] {
			t.Errorf("got  %s\nwant %s", line, messages[i])
		}
	}
	m := in.Messages
	if m[0].Role != "user" || m[0].Content != "Hi" || m[0].Name != "ann" || len(m[0].Extra) != 1 || m[0].Extra[0].Name != "mood" {
		t.Errorf("messages[0] is %+v", m[0])
	}
	if c := m[1].ToolCalls; len(c) != 1 || c[0].ID != "1" || c[0].Name != "f" || string(c[0].Arguments) != `{"z": 1, "a": 2}` {
		t.Errorf("the call is %+v", c)
	}
	if p := m[2].Parts; len(p) != 3 || p[0].Text != "é" || p[1].Type != "image" || p[2].Text != "bare" {
		t.Errorf("the parts are %+v", p)
	}
}

func TestParseConversationInput(t *testing.T) {
	in, err := ParseConversation([]byte(`{"tools": [{"z": 1, "a": 2}], "documents": null, "messages": [], "add_generation_prompt": false,
		"extra": {"enable_thinking": false, "n": 1, "f": 1.0, "list": [1, {"b": 1, "a": 2}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if in.AddGenerationPrompt || !in.Exact || in.BOS != "<s>" || in.EOS != "</s>" || in.Documents != nil {
		t.Errorf("the input is %+v", in)
	}
	in.Messages = []Message{{Role: "user"}}
	tmpl := mustParse(t, "{{ tools | tojson }} {{ enable_thinking }} {{ n }} {{ f }} {{ list }} {{ bos_token }} {{ pad_token }}")
	if got, want := render(t, tmpl, in), `[{"z": 1, "a": 2}] False 1 1.0 [1, {'b': 1, 'a': 2}] <s> <pad>`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, bad := range []string{``, `[]`, `null`, `{}`, `{"messages": {}}`, `{"messages": "x"}`, `{"messages": [1]}`, `{"messages": [[]]}`,
		`{"messages": [], "tools": {}}`, `{"messages": [], "extra": []}`, `{"messages": []} x`, `{"messages": [`, `{"messages": [], "add_generation_prompt": 1}`,
		`{"messages": [], "tools": ` + strings.Repeat("[", 20000)} {
		if _, err := ParseConversation([]byte(bad)); err == nil {
			t.Errorf("%.60s was accepted", bad)
		} else if len(err.Error()) > 300 {
			t.Errorf("%.60s: the error repeats the input", bad)
		}
	}
	deep, err := ParseConversation([]byte(`{"messages": [{"role": "user"}], "tools": ` + strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + `}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tmpl.Render(context.Background(), deep); !errors.Is(err, ErrInput) || len(err.Error()) > 200 {
		t.Errorf("tools nested 3000 deep: %v", err)
	}
}

// FuzzParseConversation: any bytes are a conversation or an error, and what was read can be rendered in bounded time, the same
// twice.
func FuzzParseConversation(f *testing.F) {
	data, err := os.ReadFile("testdata/renders.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[:17] {
		var row struct{ Input json.RawMessage }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(row.Input))
	}
	var templates []*Template
	for _, name := range []string{"chatml.jinja", "thinking.jinja", "lists.jinja", "brackets.jinja"} {
		templates = append(templates, parseFile(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := ParseConversation(data)
		if err != nil {
			return
		}
		in.Now = testNow
		for _, tmpl := range templates {
			for _, exact := range []bool{true, false} {
				in.Exact = exact
				start := time.Now()
				a, errA := tmpl.Render(context.Background(), in)
				b, errB := tmpl.Render(context.Background(), in)
				if a != b || !reflect.DeepEqual(errText(errA), errText(errB)) {
					t.Errorf("%q gave %q, %v and then %q, %v", data, a, errA, b, errB)
				}
				if d := time.Since(start); d > 30*time.Second {
					t.Errorf("%q took %v", data, d)
				}
			}
		}
	})
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
