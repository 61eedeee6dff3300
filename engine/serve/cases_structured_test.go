package serve_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine/serve"
)

// TestManyTools: thirty tools at once, some with texts of thousands of characters.
func TestManyTools(t *testing.T) {
	_, h := start(t, serve.Options{})
	var tools []string
	for i := range 30 {
		tools = append(tools, fmt.Sprintf(`{"type":"function","function":{"name":"tool_%d","parameters":{"type":"object","properties":{"a":{"type":"array","maxItems":50,"items":{"type":"string","maxLength":%d}}}}}}`, i, 1999+i))
	}
	code, body := post(t, h, "/v1/chat/completions/render", `{"messages":[{"role":"user","content":"x"}],"tools":[`+tools[0]+`]}`)
	if code != 200 {
		t.Errorf("one: %d %s", code, body)
	}
	code, body = post(t, h, "/v1/chat/completions/input_tokens", `{"messages":[{"role":"user","content":"x"}],"tools":[`+strings.Join(tools, ",")+`]}`)
	if code != 200 && !strings.Contains(body, "exceed_context_size_error") { // they are compiled before they are counted
		t.Errorf("thirty: %d %s", code, body)
	}
}

// TestFailClosed: what cannot be enforced is refused in every place where a schema can stand, with its pointer.
func TestFailClosed(t *testing.T) {
	_, h := start(t, serve.Options{})
	for bad, want := range map[string]string{
		`{"type":"string","pattern":"^(a$"}`:    "#/properties/a: pattern: ",
		`{"type":"string","pattern":"(?<=a)b"}`: "#/properties/a: pattern: ",
		`{"type":"strin"}`:                      "#/properties/a: type: unknown type",
	} {
		schema := `{"type":"object","properties":{"a":` + bad + `}}`
		for _, c := range []struct{ path, body string }{
			{"/v1/chat/completions", `{` + hello + `,"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":` + schema + `}}}`},
			{"/v1/chat/completions", `{` + hello + `,"tools":[{"type":"function","function":{"name":"f","parameters":` + schema + `}}]}`},
			{"/v1/responses", `{"input":"x","text":{"format":{"type":"json_schema","name":"x","schema":` + schema + `}}}`},
			{"/v1/responses", `{"input":"x","tools":[{"type":"function","name":"f","parameters":` + schema + `}]}`},
			{"/v1/messages", `{"max_tokens":5,` + hello + `,"tools":[{"name":"f","input_schema":` + schema + `}]}`},
			{"/completion", `{"prompt":"x","json_schema":` + schema + `}`},
		} {
			code, body := post(t, h, c.path, c.body)
			if message, _ := at(decode(t, body), "error.message").(string); code != 400 || !strings.Contains(message, want) {
				t.Errorf("%s %s: %d %s", c.path, c.body, code, body)
			}
		}
	}
}

// TestConstArgument: the value of an argument is what the schema says, without further quotes.
func TestConstArgument(t *testing.T) {
	_, h := start(t, serve.Options{})
	const tool = `"tools":[{"type":"function","function":{"name":"note","parameters":{"type":"object","properties":{"kind":{"anyOf":[{"const":"decision"},{"const":"decision 2"}]}},"required":["kind"]}}}]`
	_, body := post(t, h, "/v1/chat/completions", `{`+hello+quiet+`,"max_tokens":100,`+tool+`,"tool_choice":"required","parallel_tool_calls":false}`)
	_, arguments, _ := call(decode(t, body), "0")
	var got struct{ Kind string }
	if err := json.Unmarshal([]byte(arguments), &got); err != nil || got.Kind != "decision" && got.Kind != "decision 2" {
		t.Errorf("%v, %s", err, body)
	}
}

// TestBrokenGrammars: each is a 400 that says where, and the server goes on.
func TestBrokenGrammars(t *testing.T) {
	_, h := start(t, serve.Options{})
	for text, want := range map[string]string{
		`root ::= root "a" | "b"`:                 "line 1, column 10, rule \"root\": left recursion",
		"root ::= a\na ::= b\nb ::= a | \"x\"":    "left recursion",
		`root ::= "a"{2000000000,2147483647}`:     "counts go up to",
		`root ::= nothing`:                        "rule nothing is not defined",
		`x ::= "a"`:                               "there is no rule root",
		`{"type": "object"}`:                      "line 1, column 1",
		`root ::= [z-a]`:                          "the range is reversed",
		"root ::= \"a\"\nroot ::= \"b\"":          "line 2, column 1, rule \"root\": the rule is defined twice",
		strings.Repeat("(", 60_000):               "line 1, column 1",
		"root ::= " + strings.Repeat("(", 60_000): "nested more than 500 deep",
		`root ::= <nope>`:                         "<nope> is no token",
	} {
		quoted, _ := json.Marshal(text)
		code, body := post(t, h, "/completion", `{"prompt":"x","grammar":`+string(quoted)+`}`)
		if message, _ := at(decode(t, body), "error.message").(string); code != 400 || !strings.Contains(message, want) {
			t.Errorf("%.60s: %d %s", text, code, body)
		}
	}
}

// TestEmoji: characters of four bytes are whole and of their range, though the vocabulary has them in pieces.
func TestEmoji(t *testing.T) {
	_, h := start(t, serve.Options{})
	for seed := range 5 {
		_, body := post(t, h, "/completion", fmt.Sprintf(`{"prompt":"x","temperature":2,"seed":%d,"grammar":"root ::= [😀-🙏]{4} \"é🦙日\""}`, seed))
		text, _ := at(decode(t, body), "content").(string)
		head, found := strings.CutSuffix(text, "é🦙日")
		if !found || len([]rune(head)) != 4 {
			t.Errorf("%q", text)
		}
		for _, r := range head {
			if r < '😀' || r > '🙏' {
				t.Errorf("%q in %q", r, text)
			}
		}
	}
}

// TestNoRunaway: a model that wants nothing but line breaks gets one at a time, and none behind the end.
func TestNoRunaway(t *testing.T) {
	_, h := start(t, serve.Options{})
	_, body := post(t, h, "/v1/chat/completions", `{`+hello+quiet+`,"max_tokens":300,"logit_bias":[["\n",100],["\n\n",100]],"response_format":{"type":"json_object"}}`)
	text, _ := at(decode(t, body), "choices.0.message.content").(string)
	if text == "" || strings.Contains(text, "\n\n") || strings.Contains(text, strings.Repeat(" ", 41)) || strings.HasSuffix(text, "}\n") {
		t.Errorf("%q", text)
	}
}

// TestRequiredInVain: where the budget ends before the call that was required, the answer says so.
func TestRequiredInVain(t *testing.T) {
	_, h := start(t, serve.Options{})
	_, body := post(t, h, "/v1/chat/completions", `{`+sum+`,"max_tokens":5,`+toolsField+`,"tool_choice":"required","chat_template_kwargs":{"enable_thinking":true}}`)
	answer := decode(t, body)
	if warning, _ := at(answer, "warnings.0").(string); at(answer, "choices.0.finish_reason") != "length" || !strings.Contains(warning, "answer 0") {
		t.Errorf("%s", body)
	}
}
