package serve_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine/serve"
)

const (
	responseTools = `"tools":[{"type":"function","name":"get_weather","description":"Get the weather in a city","strict":true,"parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]`
	messageTools  = `"tools":[{"name":"get_weather","description":"Get the weather in a city","input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]`
	quitoInput    = `"input":"Is it raining in Quito?","temperature":0`
	sky           = `{\"city\": \"Quito\", \"temperature\": 31, \"sky\": \"snowy\"}`
)

// TestResponseTools: a call, its result, and the answer, by the responses API.
func TestResponseTools(t *testing.T) {
	_, h := start(t, serve.Options{})
	_, body := post(t, h, "/v1/responses", `{`+quitoInput+`,`+responseTools+`}`)
	answer := decode(t, body)
	id, _ := at(answer, "output.0.call_id").(string)
	if at(answer, "output.0.type") != "function_call" || at(answer, "output.0.name") != "get_weather" || at(answer, "output.0.arguments") != `{"city": "Quito"}` ||
		at(answer, "output.0.status") != "completed" || !strings.HasPrefix(id, "call_") || at(answer, "tools.0.name") != "get_weather" || at(answer, "output.1") != nil {
		t.Fatalf("%s", body)
	}
	_, body = post(t, h, "/v1/responses", `{"temperature":0,`+responseTools+`,"input":[{"role":"user","content":"Is it raining in Quito?"},
		{"type":"function_call","call_id":"`+id+`","name":"get_weather","arguments":"{\"city\": \"Quito\"}"},
		{"type":"function_call_output","call_id":"`+id+`","output":"`+sky+`"}]}`)
	if text, _ := at(decode(t, body), "output.0.content.0.text").(string); !strings.Contains(text, "snowy") {
		t.Errorf("%s", body)
	}
}

// TestResponseToolStream holds the order of events to OpenAI's.
func TestResponseToolStream(t *testing.T) {
	_, h := start(t, serve.Options{})
	_, body := post(t, h, "/v1/responses", `{`+quitoInput+`,"stream":true,`+responseTools+`}`)
	all, _ := events(t, body)
	var order []string
	for i, e := range all {
		if at(e.data, "sequence_number") != float64(i) {
			t.Errorf("event %d has number %v", i, at(e.data, "sequence_number"))
		}
		if name := strings.TrimPrefix(e.name, "response."); len(order) == 0 || order[len(order)-1] != name {
			order = append(order, name)
		}
	}
	if got := strings.Join(order, " "); got != "created in_progress output_item.added function_call_arguments.delta function_call_arguments.done output_item.done completed" {
		t.Errorf("%s\n%s", got, body)
	}
	last := all[len(all)-1].data
	if text(all, "delta") != `{"city": "Quito"}` || at(last, "response.output.0.arguments") != `{"city": "Quito"}` || at(all[2].data, "item.arguments") != "" ||
		at(all[2].data, "item.id") != at(last, "response.output.0.id") {
		t.Errorf("%s", body)
	}
}

// TestMessageTools: a call, its result, and the answer, by the messages API, which counts tools too.
func TestMessageTools(t *testing.T) {
	_, h := start(t, serve.Options{})
	_, body := post(t, h, "/v1/messages", `{"max_tokens":99,`+quito+`,`+messageTools+`}`)
	answer := decode(t, body)
	id, _ := at(answer, "content.0.id").(string)
	if at(answer, "content.0.type") != "tool_use" || at(answer, "content.0.name") != "get_weather" || at(answer, "content.0.input.city") != "Quito" ||
		at(answer, "stop_reason") != "tool_use" || !strings.HasPrefix(id, "toolu_") || at(answer, "content.1") != nil {
		t.Fatalf("%s", body)
	}
	_, body = post(t, h, "/v1/messages", `{"max_tokens":99,"temperature":0,`+messageTools+`,"messages":[{"role":"user","content":"Is it raining in Quito?"},
		{"role":"assistant","content":[{"type":"tool_use","id":"`+id+`","name":"get_weather","input":{"city":"Quito"}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"`+id+`","content":[{"type":"text","text":"`+sky+`"}]}]}]}`)
	if text, _ := at(decode(t, body), "content.0.text").(string); !strings.Contains(text, "snowy") {
		t.Errorf("%s", body)
	}
	_, without := post(t, h, "/v1/messages/count_tokens", `{`+quito+`}`)
	_, with := post(t, h, "/v1/messages/count_tokens", `{`+quito+`,`+messageTools+`}`)
	if a, b := at(decode(t, without), "input_tokens").(float64), at(decode(t, with), "input_tokens").(float64); b < a+40 {
		t.Errorf("%v tokens with tools, %v without", b, a)
	}
}

// TestMessageToolStream holds the order of events to Anthropic's.
func TestMessageToolStream(t *testing.T) {
	_, h := start(t, serve.Options{})
	_, body := post(t, h, "/v1/messages", `{"max_tokens":99,"stream":true,`+quito+`,`+messageTools+`}`)
	all, _ := events(t, body)
	var order []string
	for _, e := range all {
		if len(order) == 0 || order[len(order)-1] != e.name {
			order = append(order, e.name)
		}
	}
	if got := strings.Join(order, " "); got != "message_start content_block_start content_block_delta content_block_stop message_delta message_stop" {
		t.Errorf("%s\n%s", got, body)
	}
	if input, _ := json.Marshal(at(all[1].data, "content_block.input")); text(all, "delta.partial_json") != `{"city": "Quito"}` || string(input) != "{}" || text(all, "delta.stop_reason") != "tool_use" {
		t.Errorf("%s", body)
	}
}

// TestMessageToolChoice tries the words of the messages API.
func TestMessageToolChoice(t *testing.T) {
	_, h := start(t, serve.Options{})
	for choice, calls := range map[string]int{
		`{"type":"none"}`: 0,
		`{"type":"auto"}`: 0,
		`{"type":"any","disable_parallel_tool_use":true}`: 1,
		`{"type":"tool","name":"get_weather"}`:            1,
	} {
		_, body := post(t, h, "/v1/messages", fmt.Sprintf(`{"max_tokens":200,%s%s,%s,"tool_choice":%s}`, hello, quiet, messageTools, choice))
		if got := strings.Count(body, `"type":"tool_use"`); got != calls {
			t.Errorf("%s: %d calls in %s", choice, got, body)
		}
	}
}

// TestCutCalls: what there is of a call that the limit cut is told, in every API.
func TestCutCalls(t *testing.T) {
	_, h := start(t, serve.Options{})
	_, body := post(t, h, "/v1/messages", `{"max_tokens":14,`+hello+quiet+`,`+messageTools+`,"tool_choice":{"type":"any"}}`)
	answer := decode(t, body)
	if warning, _ := at(answer, "warnings.0").(string); at(answer, "stop_reason") != "max_tokens" || at(answer, "content.0.type") != "text" || !strings.Contains(warning, "not whole") {
		t.Errorf("%s", body)
	}
	_, body = post(t, h, "/v1/responses", `{"max_output_tokens":14,"input":"Hello!","temperature":0`+quiet+`,`+responseTools+`,"tool_choice":"required"}`)
	answer = decode(t, body)
	if warning, _ := at(answer, "warnings.0").(string); at(answer, "status") != "incomplete" || at(answer, "output.0.status") != "incomplete" || !strings.Contains(warning, "not whole") {
		t.Errorf("%s", body)
	}
}
