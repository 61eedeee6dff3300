package chat

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func object(text string) json.RawMessage { return json.RawMessage(text) }

// TestHistory: what is wrong with the calls of a conversation is an error that names the message.
func TestHistory(t *testing.T) {
	user, call := Message{Role: "user", Content: "q"}, ToolCall{ID: "a", Name: "f", Arguments: object(`{}`)}
	calls := func(list ...ToolCall) Message { return Message{Role: "assistant", ToolCalls: list} }
	result := func(id string) Message { return Message{Role: "tool", ToolCallID: id, Content: "r"} }
	for _, c := range []struct {
		messages []Message
		want     string // "": fine
	}{
		{[]Message{user, calls(call), result("a")}, ""},
		{[]Message{user, calls(call), result("")}, ""},
		{[]Message{user, calls(call)}, ""},
		{[]Message{user, calls(ToolCall{Name: "f"}, ToolCall{Name: "g", Arguments: object(`"{\"a\": 1}"`)}), result(""), result("")}, ""},
		{[]Message{result("a")}, "messages[0] is the result of a tool, but no call comes before it"},
		{[]Message{user, calls(call), user, result("a")}, "messages[3] is the result of a tool, but no call comes before it"},
		{[]Message{user, calls(call), result("b")}, `messages[2]: tool_call_id "b" is of none of the calls before`},
		{[]Message{user, calls(call), result("a"), result("a")}, "messages[3] is the result of a tool"},
		{[]Message{user, calls(call, call)}, `messages[1]: tool_calls[1]: id "a" is another call's`},
		{[]Message{user, calls(ToolCall{ID: "a"})}, "messages[1]: tool_calls[0]: a call without a name"},
		{[]Message{user, calls(ToolCall{Name: "f", Arguments: object(`[1]`)})}, `messages[1]: tool_calls[0]: arguments of "f" are no JSON object`},
		{[]Message{user, calls(ToolCall{Name: "f", Arguments: object(`"{"`)})}, `messages[1]: tool_calls[0]: arguments of "f" are no JSON object`},
	} {
		_, err := parseFile(t, "chatml.jinja").Render(context.Background(), Input{Messages: c.messages})
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: want %q", err, c.want)
		}
	}
}

// TestOneByOne: where a template shows one call a message, each of several becomes one, with its result; a refusal names the
// message as it was given.
func TestOneByOne(t *testing.T) {
	tmpl := mustParse(t, `{% for m in messages %}{% if m.role == 'system' and not loop.first %}{{ raise_exception('late') }}{% endif %}{{ m.role }}:{{ m.content }}{% if m.tool_calls %}
{"name": "{{ m.tool_calls[0].function.name }}", "parameters": {{ m.tool_calls[0].function.arguments | tojson }}}{% endif %};{% endfor %}`)
	in := Input{Messages: []Message{{Role: "user", Content: "q"},
		{Role: "assistant", Content: "So.", ToolCalls: []ToolCall{{ID: "a", Name: "f", Arguments: object(`{"x":1}`)}, {ID: "b", Name: "g"}}},
		{Role: "tool", ToolCallID: "b", Content: "2"}, {Role: "tool", ToolCallID: "a", Content: "1"}, {Role: "assistant", Content: "Done."}}}
	want := `user:q;assistant:So.{"name": "f", "parameters": {"x": 1}};tool:1;assistant:{"name": "g", "parameters": {}};tool:2;assistant:Done.;`
	if got := render(t, tmpl, in); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	in.Messages = append(in.Messages, Message{Role: "system", Content: "s"})
	_, err := tmpl.Render(context.Background(), in)
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal.Message != 5 {
		t.Errorf("%v", err)
	}
}

// TestIDs: ids are made such as a template wants them, the same for call and result.
func TestIDs(t *testing.T) {
	in := Input{Messages: []Message{{Role: "user", Content: "q"},
		{Role: "assistant", ToolCalls: []ToolCall{{ID: "call_0123456789", Name: "f", Arguments: object(`{}`)}, {ID: "Abcdef123", Name: "g", Arguments: object(`{}`)}}},
		{Role: "tool", ToolCallID: "call_0123456789", Content: "1"}, {Role: "tool", ToolCallID: "Abcdef123", Content: "2"}}}
	id := shortID("call_0123456789")
	got := render(t, parseFile(t, "brackets.jinja"), in)
	want := `[ASK]q[/ASK][CALLS]{"name":"f","arguments":{},"id":"` + id + `"};{"name":"g","arguments":{},"id":"Abcdef123"}[RESULT ` + id + `]1[/RESULT][RESULT Abcdef123]2[/RESULT]`
	if len(id) != 9 || !strings.HasSuffix(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestToldTools: a template that shows no tools is told of them in the system message, or the user's.
func TestToldTools(t *testing.T) {
	in := Input{Tools: probeTools, Messages: []Message{{Role: "system", Content: "Be brief."}, {Role: "user", Content: "q"}}}
	got := render(t, parseFile(t, "chatml.jinja"), in)
	for _, want := range []string{"Be brief.\n\nYou may call", `{"type":"function","function":{"name":"` + probeName, "<tool_call>\n{\"name\": \"<name>\", \"arguments\": <arguments>}\n</tool_call><|im_end|>"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	in.Messages = in.Messages[1:]
	if got := render(t, parseFile(t, "turns.jinja"), in); !strings.Contains(got, "</tool_call>\n\nq") {
		t.Errorf("without a system message: %q", got)
	}
}
