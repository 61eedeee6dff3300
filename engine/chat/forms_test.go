package chat

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestCapabilities(t *testing.T) {
	for file, want := range map[string]Capabilities{
		"chatml.jinja":   {System: true, Results: true},
		"headers.jinja":  {System: true, Tools: true, Calls: true, Results: true},
		"brackets.jinja": {System: true, Tools: true, Calls: true, Parallel: true, Results: true, ShortIDs: true},
		"turns.jinja":    {},
		"thinking.jinja": {System: true, Tools: true, Calls: true, Thinking: true, Lists: true, Parallel: true, Results: true},
		"lists.jinja":    {System: true, Calls: true, Parts: true, Lists: true, TextArguments: true, Parallel: true, Results: true},
		"harmony.jinja":  {System: true, Results: true},
	} {
		if got := parseFile(t, file).Capabilities(); got != want {
			t.Errorf("%s:\n got  %+v\n want %+v", file, got, want)
		}
	}
	null := "{% for m in messages %}{% if m.content is none %}{{ m.tool_calls[0].function | tojson }}{% else %}{{ m.content }}{% endif %}{% endfor %}"
	if got := mustParse(t, null).Capabilities(); !got.NullContent || !got.Calls {
		t.Errorf("calls beside content that is none only: %+v", got)
	}
	if got := mustParse(t, "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}").Capabilities(); got != (Capabilities{}) {
		t.Errorf("a template without end can do %+v", got)
	}
}

// TestContentForms: content that is null, a text, or a list, in templates that want a text, a list, or either.
func TestContentForms(t *testing.T) {
	call := ToolCall{ID: "call12345", Name: "find", Arguments: json.RawMessage(`{"z": 1, "a": "é"}`)}
	text := []Message{{Role: "user", Content: "ab"}}
	list := []Message{{Role: "user", Parts: []Part{TextPart("a"), TextPart("b")}}}
	empty := []Message{{Role: "user", Parts: []Part{}}}
	calls := []Message{{Role: "user", Content: "q"}, {Role: "assistant", ToolCalls: []ToolCall{call}}}
	image := []Message{{Role: "user", Parts: []Part{TextPart("see "), {Type: "image", Raw: json.RawMessage(`{"type": "image", "url": "x"}`)}}}}
	for _, tt := range []struct {
		file     string
		messages []Message
		want     string
	}{
		{"chatml.jinja", text, "<|im_start|>user\nab<|im_end|>\n"},
		{"chatml.jinja", list, "<|im_start|>user\na\nb<|im_end|>\n"}, // joined by a newline
		{"chatml.jinja", empty, "<|im_start|>user\n<|im_end|>\n"},
		{"chatml.jinja", calls, "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n<tool_call>\n{\"name\": \"find\", \"arguments\": {\"z\": 1, \"a\": \"é\"}}\n</tool_call><|im_end|>\n"},
		{"thinking.jinja", text, "<|im_start|>user\nab<|im_end|>\n"},
		{"thinking.jinja", list, "<|im_start|>user\nab<|im_end|>\n"}, // the template's own way
		{"thinking.jinja", empty, "<|im_start|>user\n<|im_end|>\n"},
		{"thinking.jinja", image, "<|im_start|>user\nsee <|image|><|im_end|>\n"},
		{"thinking.jinja", calls, "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n<tool_call>find: {\"z\": 1, \"a\": \"é\"}</tool_call><|im_end|>\n"},
		{"lists.jinja", text, "<|user|>ab<|end|>\n"}, // became a list
		{"lists.jinja", list, "<|user|>ab<|end|>\n"},
		{"lists.jinja", empty, "<|user|><|end|>\n"},
		{"lists.jinja", image, "<|user|>see <image><|end|>\n"},
		{"lists.jinja", calls, "<|user|>q<|end|>\n<|assistant|><|call|>find {\"z\": 1, \"a\": \"é\"}<|end|>\n"},
	} {
		if got := render(t, parseFile(t, tt.file), Input{Messages: tt.messages}); got != tt.want {
			t.Errorf("%s of %+v:\n got  %q\n want %q", tt.file, tt.messages, got, tt.want)
		}
	}
	_, err := parseFile(t, "chatml.jinja").Render(context.Background(), Input{Messages: image})
	if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), `messages[0]: content[1] is of type "image"`) {
		t.Errorf("an image for a template of texts: %v", err)
	}
}

// TestArgumentForms: the arguments of a call come as an object or as a text, and leave as the template wants them.
func TestArgumentForms(t *testing.T) {
	for _, arguments := range []string{`{"z":1,"a":[true]}`, `"{\"z\":1,\"a\":[true]}"`} {
		call := ToolCall{ID: "call12345", Name: "f", Arguments: json.RawMessage(arguments)}
		in := Input{Messages: []Message{{Role: "user", Content: "q"}, {Role: "assistant", ToolCalls: []ToolCall{call}}}}
		for file, want := range map[string]string{
			"brackets.jinja": `[CALLS]{"name":"f","arguments":{"z":1,"a":[true]},"id":"call12345"}`,
			"headers.jinja":  `{"call": "f", "with": {"z": 1, "a": [true]}}`,
			"lists.jinja":    `<|call|>f {"z":1,"a":[true]}`,
		} {
			if got := render(t, parseFile(t, file), in); !strings.Contains(got, want) {
				t.Errorf("%s of %s: %q lacks %s", file, arguments, got, want)
			}
		}
	}
	for arguments, ok := range map[string]bool{``: true, `""`: true, `null`: true, `"{"`: false, `{`: false} {
		call := ToolCall{ID: "call12345", Name: "f", Arguments: json.RawMessage(arguments)}
		in := Input{Messages: []Message{{Role: "user", Content: "q"}, {Role: "assistant", ToolCalls: []ToolCall{call}}}}
		_, err := parseFile(t, "headers.jinja").Render(context.Background(), in)
		if (err == nil) != ok || !ok && !strings.Contains(err.Error(), `messages[1]: tool_calls[0]: arguments of "f"`) {
			t.Errorf("arguments %q: %v", arguments, err)
		}
	}
}

// TestReasoningForms: reasoning reaches the template under the name that it reads.
func TestReasoningForms(t *testing.T) {
	in := Input{Messages: []Message{{Role: "user", Content: "q"}, {Role: "assistant", Content: "a", Reasoning: "why"}}}
	for file, want := range map[string]string{
		"thinking.jinja": "<think>\nwhy\n</think>\n\na<|im_end|>",
		"harmony.jinja":  "<|channel|>analysis<|message|>why<|end|>",
		"chatml.jinja":   "assistant\na<|im_end|>",
	} {
		if got := render(t, parseFile(t, file), in); !strings.Contains(got, want) {
			t.Errorf("%s: %q lacks %q", file, got, want)
		}
	}
}

// TestContinue: the text ends inside the last message, whatever its form and whatever the template does to it.
func TestContinue(t *testing.T) {
	ask := Message{Role: "user", Content: "Sure, why?"}
	for _, tt := range []struct {
		source string // a file, or a template
		last   Message
		want   string // the end of the text
	}{
		{"chatml.jinja", Message{Content: "Sure, "}, "<|im_start|>assistant\nSure, "},
		{"chatml.jinja", Message{Parts: []Part{TextPart("Sure, ")}}, "<|im_start|>assistant\nSure, "},
		{"chatml.jinja", Message{Parts: []Part{TextPart("a"), TextPart("b")}}, "<|im_start|>assistant\na\nb"},
		{"chatml.jinja", Message{}, "<|im_start|>assistant\n"},
		{"chatml.jinja", Message{Content: "Qx7GoOnHere"}, "<|im_start|>assistant\nQx7GoOnHere"},
		{"turns.jinja", Message{Content: " Sure, "}, "<turn model>\nSure, "}, // the template trims
		{"thinking.jinja", Message{Content: "Sure"}, "<think>\n\n</think>\n\nSure"},
		{"thinking.jinja", Message{Parts: []Part{TextPart("Su"), TextPart("re")}}, "<think>\n\n</think>\n\nSure"},
		{"thinking.jinja", Message{Reasoning: "Let me"}, "<think>\nLet me"},
		{"thinking.jinja", Message{Reasoning: "hm", Content: "So"}, "<think>\nhm\n</think>\n\nSo"},
		{"thinking.jinja", Message{Content: "<think>\nhm\n</think>\n\nSo"}, "<think>\nhm\n</think>\n\nSo"},
		{"lists.jinja", Message{Content: "Sure"}, "<|assistant|>Sure"},
		{"lists.jinja", Message{Parts: []Part{}}, "<|assistant|>"},
		{"lists.jinja", Message{Parts: []Part{TextPart("a"), {Type: "image", Raw: json.RawMessage(`{"type": "image"}`)}}}, "<|assistant|>a"},
		{"harmony.jinja", Message{Reasoning: "hm", Content: "So"}, "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>So"},
		// a template that shows no message of the assistant
		{"{% for m in messages if m.role == 'user' %}{{ m.content }}{% endfor %}{{ '|' if add_generation_prompt }}", Message{Content: "So"}, "Sure, why?|So"},
	} {
		tmpl := mustParseSource(t, tt.source)
		tt.last.Role = "assistant"
		got := render(t, tmpl, Input{Messages: []Message{ask, tt.last}, ContinueFinalMessage: true, AddGenerationPrompt: true})
		if !strings.HasSuffix(got, tt.want) || !strings.Contains(got, ask.Content) {
			t.Errorf("%.40s after %+v:\n got  %q\n want ...%q", tt.source, tt.last, got, tt.want)
		}
	}
	for _, in := range []Input{{Messages: []Message{ask}}, {Messages: []Message{ask, {Role: "system", Content: "x"}}}} {
		in.ContinueFinalMessage = true
		if _, err := parseFile(t, "chatml.jinja").Render(context.Background(), in); !errors.Is(err, ErrInput) {
			t.Errorf("continued a message that is not the assistant's: %v", err)
		}
	}
}

func mustParseSource(t *testing.T, source string) *Template {
	if strings.HasSuffix(source, ".jinja") {
		return parseFile(t, source)
	}
	return mustParse(t, source)
}

// TestContinueExact: the same for a conversation that is rendered as it came.
func TestContinueExact(t *testing.T) {
	for content, want := range map[string]string{`"So"`: "So", `[{"type": "text", "text": "So", "x": 1}]`: "So", `["So"]`: "So", `null`: "", `""`: "", `[]`: ""} {
		in, err := ParseConversation([]byte(`{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": ` + content + `}], "continue_final_message": true}`))
		if err != nil {
			t.Fatal(err)
		}
		tmpl := mustParse(t, "{% for m in messages %}[{% for p in m.content %}{{ p if p is string else p.text }}{% endfor %}]{% endfor %}")
		if got := render(t, tmpl, in); got != "[q]["+want {
			t.Errorf("%s: got %q, want %q", content, got, "[q]["+want)
		}
	}
}
