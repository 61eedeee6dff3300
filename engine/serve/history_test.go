package serve_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/engine/serve"
)

// TestBrokenHistory: what is wrong with a conversation names the message, by the name that the client has for it.
func TestBrokenHistory(t *testing.T) {
	_, h := start(t, serve.Options{})
	const chatCall = `{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":%s}]}]}`
	const itemCall = `{"input":[{"role":"user","content":"Hi"},{"type":"function_call","call_id":"1",%s}]}`
	const blockCall = `{"max_tokens":5,"system":"Be nice","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"1",%s}]}]}`
	for _, c := range []struct{ path, body, call, want string }{
		{"/v1/chat/completions", chatCall, `{"arguments":"{}"}`, "'messages[1].tool_calls[0].function.name' is required"},
		{"/v1/chat/completions", chatCall, `{"name":"f","arguments":"{"}`, "'messages[1].tool_calls[0].function.arguments' is no JSON: unexpected end"},
		{"/v1/chat/completions", chatCall, `{"name":"f","arguments":"[1]"}`, "'messages[1].tool_calls[0].function.arguments' must hold a JSON object, got an array"},
		{"/v1/chat/completions", chatCall, `null`, "'messages[1].tool_calls[0].function' is required"},
		{"/v1/responses", itemCall, `"name":"f","arguments":"{"`, "'input[1].arguments' is no JSON"},
		{"/v1/responses", itemCall, `"arguments":"{}"`, "'input[1].name' is required"},
		{"/v1/messages", blockCall, `"name":"f","input":7`, "'messages[1].content[0].input' must hold a JSON object, got a number"},
		{"/v1/messages", blockCall, `"input":{}`, "'messages[1].content[0].name' is required"},
	} {
		code, body := post(t, h, c.path, fmt.Sprintf(c.body, c.call))
		if message, _ := at(decode(t, body), "error.message").(string); code != 400 || !strings.Contains(message, c.want) {
			t.Errorf("%s %s: %d %s", c.path, c.call, code, body)
		}
	}
	for _, arguments := range []string{`""`, `"{}"`, `{}`, `null`, `"{\"a\": 1}"`} {
		if code, body := post(t, h, "/apply-template", fmt.Sprintf(chatCall, `{"name":"f","arguments":`+arguments+`}`)); code != 200 {
			t.Errorf("%s: %d %s", arguments, code, body)
		}
	}
}

// TestRefusedHistory: a template that refuses a message does so under the client's name.
func TestRefusedHistory(t *testing.T) {
	const picky = `{% for m in messages %}{% if m.content == 'no' %}{{ raise_exception('I refuse this') }}{% endif %}{{ m.role + m.content }}{% endfor %}`
	m, err := engine.OpenBytes(context.Background(), demo.Name, demo.Model(), engine.Options{Context: 512, Threads: 2, Template: picky})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	s, err := serve.New(serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Load(func() (*engine.Model, error) { return m, nil }); err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	defer h.Close()
	for _, c := range []struct{ path, body, want string }{
		{"/v1/chat/completions", `{"messages":[{"role":"user","content":"a"},{"role":"user","content":"no"}]}`, "messages[1] (user): I refuse this"},
		{"/v1/messages", `{"max_tokens":5,"system":"s","messages":[{"role":"user","content":"a"},{"role":"user","content":"no"}]}`, "messages[1] (user): I refuse this"},
		{"/v1/messages", `{"max_tokens":5,"system":"no","messages":[{"role":"user","content":"a"}]}`, "refuses system (system): I refuse this"},
		{"/v1/responses", `{"instructions":"s","input":[{"role":"user","content":"a"},{"type":"function_call","call_id":"1","name":"f"},{"type":"function_call","call_id":"2","name":"f"},{"role":"user","content":"no"}]}`, "input[3] (user): I refuse this"},
	} {
		code, body := post(t, h, c.path, c.body)
		if message, _ := at(decode(t, body), "error.message").(string); code != 400 || !strings.Contains(message, c.want) {
			t.Errorf("%s: %d %s", c.path, code, body)
		}
	}
}
