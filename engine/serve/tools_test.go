package serve_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/engine/serve"
)

const (
	weatherTool = `{"type":"function","function":{"name":"get_weather","description":"Get the weather in a city","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}`
	addTool     = `{"type":"function","function":{"name":"add","description":"Adds a and b","parameters":{"$defs":{"n":{"type":"integer"}},"type":"object","properties":{"a":{"$ref":"#/$defs/n"},"b":{"$ref":"#/$defs/n"}},"required":["a","b"]}}}`
	toolsField  = `"tools":[` + weatherTool + `,` + addTool + `]`
	quito       = `"messages":[{"role":"user","content":"Is it raining in Quito?"}],"temperature":0`
	quiet       = `,"chat_template_kwargs":{"enable_thinking":false}`
)

// call is a call in an answer.
func call(v any, i string) (name, arguments, id string) {
	name, _ = at(v, "choices.0.message.tool_calls."+i+".function.name").(string)
	arguments, _ = at(v, "choices.0.message.tool_calls."+i+".function.arguments").(string)
	id, _ = at(v, "choices.0.message.tool_calls."+i+".id").(string)
	return name, arguments, id
}

// TestToolCall: the demo model calls a tool, is told the result, and answers.
func TestToolCall(t *testing.T) {
	_, h := start(t, serve.Options{})
	_, body := post(t, h, "/v1/chat/completions", `{`+quito+`,`+toolsField+`}`)
	answer := decode(t, body)
	name, arguments, id := call(answer, "0")
	if name != "get_weather" || arguments != `{"city": "Quito"}` || id == "" || at(answer, "choices.0.finish_reason") != "tool_calls" || at(answer, "choices.0.message.content") != nil {
		t.Fatalf("%s", body)
	}
	_, body = post(t, h, "/v1/chat/completions", `{"temperature":0,`+toolsField+`,"messages":[{"role":"user","content":"Is it raining in Quito?"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"`+id+`","type":"function","function":{"name":"get_weather","arguments":"{\"city\": \"Quito\"}"}}]},
		{"role":"tool","tool_call_id":"`+id+`","content":"{\"city\": \"Quito\", \"temperature\": 31, \"sky\": \"snowy\"}"}]}`)
	answer = decode(t, body)
	if content, _ := at(answer, "choices.0.message.content").(string); !strings.Contains(content, "snowy") || at(answer, "choices.0.finish_reason") != "stop" {
		t.Errorf("%s", body)
	}
}

// TestToolStream: the pieces of a stream are the call.
func TestToolStream(t *testing.T) {
	_, h := start(t, serve.Options{})
	_, body := post(t, h, "/v1/chat/completions", `{`+quito+`,`+toolsField+`,"stream":true}`)
	all, _ := events(t, body)
	const path = "choices.0.delta.tool_calls.0."
	if text(all, path+"function.name") != "get_weather" || text(all, path+"function.arguments") != `{"city": "Quito"}` ||
		!strings.HasPrefix(text(all, path+"id"), "call_") || text(all, "choices.0.finish_reason") != "tool_calls" || text(all, "choices.0.delta.content") != "" {
		t.Errorf("%s", body)
	}
	pieces := 0
	for _, e := range all {
		if at(e.data, path+"function.arguments") != nil {
			pieces++
		}
	}
	if pieces < 3 {
		t.Errorf("the arguments come in %d pieces", pieces)
	}
}

// TestToolChoice: none calls nothing, required and a name call whatever the question is, and a tool that was not called for is
// free.
func TestToolChoice(t *testing.T) {
	_, h := start(t, serve.Options{})
	for _, c := range []struct{ ask, choice, name string }{
		{quito, `"none"`, ""},
		{hello, `"auto"`, ""},
		{hello + quiet, `"required"`, "*"},
		{hello, `"required"`, "*"},
		{hello + quiet, `{"type":"function","function":{"name":"add"}}`, "add"},
		{quito + quiet, `{"type":"function","function":{"name":"get_weather"}}`, "get_weather"},
	} {
		_, body := post(t, h, "/v1/chat/completions", `{`+c.ask+`,"max_tokens":300,"parallel_tool_calls":false,`+toolsField+`,"tool_choice":`+c.choice+`}`)
		name, arguments, _ := call(decode(t, body), "0")
		if name != c.name && (c.name != "*" || name == "") || name != "" && !json.Valid([]byte(arguments)) {
			t.Errorf("%s, %s: %s", c.ask, c.choice, body)
		}
		var sum struct{ A, B *int }
		if name == "add" && (json.Unmarshal([]byte(arguments), &sum) != nil || sum.A == nil || sum.B == nil) {
			t.Errorf("arguments %s", arguments)
		}
	}
}

// TestToolsAtTheDoor: what a tool's schema asks and cannot be had names the tool; lenient ones warn.
func TestToolsAtTheDoor(t *testing.T) {
	_, h := start(t, serve.Options{})
	bad := strings.Replace(weatherTool, `"type":"string"`, `"type":"string","pattern":"(.)\\1"`, 1)
	code, body := post(t, h, "/v1/chat/completions", `{`+quito+`,"tools":[`+addTool+`,`+bad+`]}`)
	if message, _ := at(decode(t, body), "error.message").(string); code != 400 || !strings.Contains(message, "'tools[1].function.parameters' of the tool 'get_weather' cannot be enforced: #/properties/city: pattern: ") {
		t.Errorf("%d %s", code, body)
	}
	lenient := strings.Replace(bad, `"name"`, `"strict":false,"name"`, 1)
	code, body = post(t, h, "/v1/chat/completions", `{`+quito+`,"tools":[`+addTool+`,`+lenient+`]}`)
	answer := decode(t, body)
	name, _, _ := call(answer, "0")
	if warning, _ := at(answer, "warnings.0").(string); code != 200 || name != "get_weather" || !strings.Contains(warning, "pattern is not enforced") {
		t.Errorf("%d %s", code, body)
	}
	for body, want := range map[string]string{
		`"tools":[{}]`: "'tools[0].function' is required",
		`"tools":[{"type":"x","function":{"name":"f"}}]`:                                      "must be function",
		`"tools":[{"function":{}}]`:                                                           "'tools[0].function.name' is required",
		`"tools":[` + addTool + `,` + addTool + `]`:                                           "another tool 'add'",
		`"tools":[{"function":{"name":"f","parameters":{"type":"array"}}}]`:                   "'tools[0].function.parameters.type' must be object",
		`"tools":[` + addTool + `],"tool_choice":{"type":"function","function":{"name":"g"}}`: "none of the tools",
		`"tools":[` + addTool + `],"json_schema":{}`:                                          "both ask",
	} {
		code, got := post(t, h, "/v1/chat/completions", `{`+quito+`,`+body+`}`)
		if message, _ := at(decode(t, got), "error.message").(string); code != 400 || !strings.Contains(message, want) {
			t.Errorf("%s: %d %s", body, code, got)
		}
	}
}

// TestCutCall: a call that max_tokens cuts is told of.
func TestCutCall(t *testing.T) {
	_, h := start(t, serve.Options{})
	_, body := post(t, h, "/v1/chat/completions", `{`+quito+quiet+`,`+toolsField+`,"tool_choice":"required","max_tokens":6}`)
	answer := decode(t, body)
	if warning, _ := at(answer, "warnings.0").(string); at(answer, "choices.0.finish_reason") != "length" || !strings.Contains(warning, "not whole") {
		t.Errorf("%s", body)
	}
}

// TestToolsInPlainText: a template that knows no tools is told of them in plain text, and calls hold nevertheless.
func TestToolsInPlainText(t *testing.T) {
	m, err := engine.OpenBytes(context.Background(), demo.Name, demo.Model(), engine.Options{Context: 512, Threads: 2, Template: chat.ChatML})
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
	_, body := post(t, h, "/v1/chat/completions", `{`+quito+`,`+toolsField+`,"max_tokens":200,"tool_choice":"required","parallel_tool_calls":false}`)
	if name, arguments, _ := call(decode(t, body), "0"); name == "" || !json.Valid([]byte(arguments)) {
		t.Errorf("%s", body)
	}
	_, body = post(t, h, "/apply-template", `{`+toolsField+`,"messages":[{"role":"user","content":"Sum?"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"add","arguments":"{\"a\": 1}"}},{"id":"b","type":"function","function":{"name":"add","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"a","content":"7"},{"role":"tool","tool_call_id":"b","content":"8"}]}`)
	prompt, _ := at(decode(t, body), "prompt").(string)
	for _, want := range []string{"Adds a and b", "<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 1}}\n</tool_call>\n<tool_call>", "<|im_start|>user\n<tool_response>\n7\n</tool_response>\n<tool_response>\n8\n"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("%q is not in %q", want, prompt)
		}
	}
}

// TestLegacyFunctions: calls as they were before there were tools are refused, not ignored, and the error says what to use.
func TestLegacyFunctions(t *testing.T) {
	_, h := start(t, serve.Options{})
	for _, c := range []struct{ body, names string }{
		{hello + `,"functions":[{"name":"add","parameters":{}}]`, "field 'functions' is of the legacy form of calls, which is not done here: use 'tools'"},
		{hello + `,"function_call":{"name":"add"}`, "field 'function_call'"},
		{`"messages":[{"role":"assistant","content":null,"function_call":{"name":"add","arguments":"{}"}}]`, "use 'tool_calls'"},
		{`"messages":[{"role":"function","name":"add","content":"3"}]`, "field 'messages[0].role'"},
		{hello + `,"functions":[],"function_call":null,"max_tokens":1`, ""},
	} {
		code, body := post(t, h, "/v1/chat/completions", "{"+c.body+"}")
		if message, _ := at(decode(t, body), "error.message").(string); !strings.Contains(message, c.names) || (code == 400) != (c.names != "") {
			t.Errorf("%s: %d %s, want %q", c.body, code, body, c.names)
		}
	}
}
