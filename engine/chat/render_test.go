package chat

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/llamakit/llamakit/engine/chat/jinja"
)

// parseFile parses a template of testdata.
func parseFile(t testing.TB, name string) *Template {
	t.Helper()
	source, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := ParseNamed(name, string(source))
	if err != nil {
		t.Fatal(err)
	}
	return tmpl
}

func mustParse(t testing.TB, source string) *Template {
	t.Helper()
	tmpl, err := Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	return tmpl
}

func render(t testing.TB, tmpl *Template, in Input) string {
	t.Helper()
	in.Now = testNow
	text, err := tmpl.Render(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestRecorded compares our own templates with what Jinja2 made of them: testdata/record.py.
func TestRecorded(t *testing.T) {
	data, err := os.ReadFile("testdata/renders.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	templates := map[string]*Template{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row struct {
			Template, Conversation string
			Input                  json.RawMessage
			Output                 *string
			Error                  string
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if templates[row.Template] == nil {
			templates[row.Template] = parseFile(t, row.Template)
		}
		in, err := ParseConversation(row.Input)
		if err != nil {
			t.Fatal(err)
		}
		in.Now, in.Strict = testNow, true
		got, err := templates[row.Template].Render(context.Background(), in)
		switch sentence, raised := strings.CutPrefix(row.Error, "TemplateError: "); {
		case row.Output != nil && (err != nil || got != *row.Output):
			t.Errorf("%s, %s: got %q, %v, want %q", row.Template, row.Conversation, got, err, *row.Output)
		case row.Output == nil && err == nil:
			t.Errorf("%s, %s: got %q, want the error %s", row.Template, row.Conversation, got, row.Error)
		case raised:
			var r *Refusal
			if !errors.As(err, &r) || r.Sentence != sentence {
				t.Errorf("%s, %s: got %v, want a refusal: %s", row.Template, row.Conversation, err, sentence)
			}
		}
	}
}

// TestRefusal: a template that refuses is an error with its own sentence and the message it was at.
func TestRefusal(t *testing.T) {
	turn := func(role string) Message { return Message{Role: role, Content: role} }
	for _, tt := range []struct {
		file, roles string
		index       int
		sentence    string
	}{
		{"turns.jinja", "user user", 1, "turn 2 comes from the wrong side"},
		{"turns.jinja", "user assistant system user", 2, "turn 3 comes from the wrong side"},
		{"turns.jinja", "system user", 0, "this model takes no <system> message"}, // raised outside every loop
		{"turns.jinja", "assistant", 0, "turn 1 comes from the wrong side"},
		{"brackets.jinja", "system user assistant user assistant user user", 6, "expected a turn of the assistant, got one of the user"},
		{"brackets.jinja", "user assistant system", 2, "expected a turn of the user, got one of the system"},
	} {
		in := Input{AddGenerationPrompt: true}
		for _, role := range strings.Fields(tt.roles) {
			in.Messages = append(in.Messages, turn(role))
		}
		text, err := parseFile(t, tt.file).Render(context.Background(), in)
		var r *Refusal
		var e *jinja.Error
		if text != "" || !errors.As(err, &r) || r.Sentence != tt.sentence || r.Message != tt.index || r.Role != in.Messages[tt.index].Role {
			t.Errorf("%s of %s: %q, %v, want messages[%d]: %s", tt.roles, tt.file, text, err, tt.index, tt.sentence)
		}
		if !errors.As(err, &e) || e.Kind != jinja.RaisedError || e.Line < 1 {
			t.Errorf("%s of %s: %v does not unwrap to the template's error", tt.roles, tt.file, err)
		}
	}
	whole := mustParse(t, "{{ raise_exception('never') }}")
	_, err := whole.Render(context.Background(), Input{Messages: []Message{turn("user"), turn("user")}})
	if want := "the chat template refuses messages[0] (user): never"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	last := mustParse(t, "{% if messages | length > 2 and messages[2].role == 'user' %}{{ raise_exception('no') }}{% endif %}")
	_, err = last.Render(context.Background(), Input{Messages: []Message{turn("user"), turn("assistant"), turn("user"), turn("assistant")}})
	if want := "the chat template refuses messages[2] (user): no"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestMissing: no template, a broken one, and one that needs what is not there.
func TestMissing(t *testing.T) {
	hello := Input{Messages: []Message{{Role: "user", Content: "Hello"}}, AddGenerationPrompt: true}
	tmpl := ParseLate("")
	if !tmpl.Builtin || tmpl.Name() != "built-in ChatML" || tmpl.Source() != ChatML || tmpl.Err() != nil {
		t.Errorf("no template gave %q, built in: %v, error %v", tmpl.Name(), tmpl.Builtin, tmpl.Err())
	}
	if got, want := render(t, tmpl, hello), "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n"; got != want {
		t.Errorf("ChatML is %q, want %q", got, want)
	}
	for source, want := range map[string]string{
		"a\n{% if x %}":                "chat template:2:11: unexpected end of template: a {% endif %} is missing",
		"{{ messages | nope }}":        "chat template:1:15: No filter named 'nope'.",
		"{% for m in messages %}{{ m ": "chat template:1:29: unexpected end of template, expected '}}'; a {% endfor %} is missing",
	} {
		_, err := Parse(source)
		late := ParseLate(source)
		_, rendered := late.Render(context.Background(), hello)
		for _, err := range []error{err, late.Err(), rendered} {
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%q: got %v, want %s", source, err, want)
			}
		}
		if late.Builtin || late.UsesClock() || late.Source() != source || late.Capabilities() != (Capabilities{}) {
			t.Errorf("%q: a broken template claims to be more", source)
		}
	}
	if got := render(t, mustParse(t, "{{ tools | tojson }} {{ documents | tojson }}"), hello); got != "null null" {
		t.Errorf("missing tools render as %q, want null", got)
	}
	if got := render(t, mustParse(t, "{{ bos_token ~ pad_token ~ 'x' + eos_token }}"), hello); got != "x" {
		t.Errorf("missing special tokens render as %q", got)
	}
	for _, in := range []Input{{}, {Messages: hello.Messages, Tools: json.RawMessage(`{}`)}, {Messages: hello.Messages, Tools: json.RawMessage(`[`)},
		{Messages: []Message{{Role: "assistant", ToolCalls: []ToolCall{{Name: "f", Arguments: json.RawMessage("{")}}}}},
		{Messages: hello.Messages, Kwargs: map[string]any{"x": make(chan int)}}} {
		if _, err := tmpl.Render(context.Background(), in); !errors.Is(err, ErrInput) && in.Kwargs == nil {
			t.Errorf("%v: error %v, want ErrInput", in, err)
		} else if err == nil {
			t.Errorf("%v renders", in)
		}
	}
}

// TestToolJSON: what tojson writes is not escaped for HTML, and keys keep their order.
func TestToolJSON(t *testing.T) {
	in := Input{Messages: []Message{{Role: "user", Content: "x"}},
		Tools: json.RawMessage(`[{"name": "é", "description": "a<b && c>d", "parameters": {"properties": {"z": 1, "a": 2.0, "m": 1e2}}}]`)}
	want := `{"name": "é", "description": "a<b && c>d", "parameters": {"properties": {"z": 1, "a": 2.0, "m": 100.0}}}`
	if got := render(t, mustParse(t, "{{ tools[0] | tojson }}"), in); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestDates: the clock is the caller's, and date_string is the caller's or not there.
func TestDates(t *testing.T) {
	in := Input{Messages: []Message{{Role: "user", Content: "x"}}}
	tmpl := mustParse(t, "{{ strftime_now('%d %b %Y %H:%M:%S') }}{{ date_string is defined }}")
	if got := render(t, tmpl, in); got != "15 Oct 2026 09:30:00False" {
		t.Errorf("got %q", got)
	}
	in.Kwargs = map[string]any{"date_string": "26 Jul 2024"}
	if got := render(t, tmpl, in); got != "15 Oct 2026 09:30:00True" {
		t.Errorf("got %q", got)
	}
	if !tmpl.UsesClock() || parseFile(t, "headers.jinja").UsesClock() {
		t.Error("UsesClock is for times of day, not for dates")
	}
}

func TestThinking(t *testing.T) {
	tmpl := parseFile(t, "thinking.jinja")
	in := Input{Messages: []Message{{Role: "user", Content: "x"}}, AddGenerationPrompt: true}
	for thinking, want := range map[Thinking]string{ThinkingAuto: "<think>\n", ThinkingOn: "<think>\n", ThinkingOff: "<think>\n\n</think>\n\n"} {
		in.Thinking = thinking
		if got := render(t, tmpl, in); !strings.HasSuffix(got, "assistant\n"+want) {
			t.Errorf("thinking %d gave %q", thinking, got)
		}
	}
	in.Kwargs = map[string]any{"enable_thinking": true} // a variable of the caller wins
	if got := render(t, tmpl, in); !strings.HasSuffix(got, "assistant\n<think>\n") {
		t.Errorf("got %q", got)
	}
}

// TestSet: a model with two templates uses one of them for conversations with tools.
func TestSet(t *testing.T) {
	tmpl, err := ParseSet(map[string]string{"default": "plain", "tool_use": "{% for t in tools %}{{ t.function.name }};{% endfor %}", "rag": "{% broken"})
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Messages: []Message{{Role: "user", Content: "x"}}}
	if got := render(t, tmpl, in); got != "plain" {
		t.Errorf("without tools: %q", got)
	}
	in.Tools = json.RawMessage(`[{"function": {"name": "a"}}, {"function": {"name": "b"}}]`)
	if got := render(t, tmpl, in); got != "a;b;" {
		t.Errorf("with tools: %q", got)
	}
	if one, err := ParseSet(map[string]string{"tool_use": "only"}); err != nil || render(t, one, in) != "only" {
		t.Errorf("a single template: %v", err)
	}
	for _, set := range []map[string]string{{}, {"a": "", "b": ""}, {"default": "{{"}, {"default": "", "tool_use": "{{"}} {
		if _, err := ParseSet(set); err == nil {
			t.Errorf("%v was accepted", set)
		}
	}
}

// TestConcurrent renders one template in many goroutines; lenient templates may change the lists that they are given.
func TestConcurrent(t *testing.T) {
	tmpl := mustParse(t, "{% set _ = messages.append(1) %}{% set _ = messages[0].update({'role': 'x'}) %}{{ messages | length }}{{ messages[0].content }}")
	in, err := ParseConversation([]byte(`{"messages": [{"role": "user", "content": "hi"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if got, err := tmpl.Render(context.Background(), in); err != nil || got != "2hi" {
					t.Errorf("got %q, %v", got, err)
				}
			}
		})
	}
	wg.Wait()
}
