package serve_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/serve"
)

// person is a schema whose members stand in an order that is not the alphabet's.
const person = `{"type":"object","properties":{"name":{"enum":["Ann","Bob"]},"age":{"type":"integer","minimum":0,"maximum":120}},"required":["name","age"],"additionalProperties":false}`

// isPerson reports whether a text is JSON of person.
func isPerson(text string) bool {
	var p struct {
		Name *string
		Age  *int
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	return dec.Decode(&p) == nil && p.Name != nil && p.Age != nil && *p.Age <= 120 && strings.Index(text, "name") < strings.Index(text, "age")
}

// TestForms asks every API for JSON in every way that it has, streamed and not.
func TestForms(t *testing.T) {
	_, h := start(t, serve.Options{})
	const ask = `"messages":[{"role":"user","content":"Hello!"}],"temperature":1,"chat_template_kwargs":{"enable_thinking":false}`
	const chat, delta = "choices.0.message.content", "choices.0.delta.content"
	for _, c := range []struct{ path, body, text, part string }{
		{"/completion", `"prompt":"x","json_schema":` + person, "content", "content"},
		{"/v1/completions", `"prompt":"x","max_tokens":99,"response_format":{"type":"json_schema","json_schema":{"name":"p","strict":true,"schema":` + person + `}}`, "choices.0.text", "choices.0.text"},
		{"/v1/chat/completions", ask + `,"response_format":{"type":"json_schema","json_schema":{"name":"p","schema":` + person + `}}`, chat, delta},
		{"/v1/chat/completions", ask + `,"response_format":{"type":"json_schema","schema":` + person + `}`, chat, delta},
		{"/v1/chat/completions", ask + `,"response_format":{"type":"json_object","schema":` + person + `}`, chat, delta},
		{"/v1/chat/completions", ask + `,"json_schema":` + person, chat, delta},
		{"/v1/chat/completions", ask + `,"grammar":"root ::= \"{\\\"name\\\":\\\"Ann\\\",\\\"age\\\":\" [1-9] \"}\""`, chat, delta},
		{"/v1/responses", `"input":"Hello!","chat_template_kwargs":{"enable_thinking":false},"text":{"format":{"type":"json_schema","name":"p","strict":true,"schema":` + person + `}}`, "output.0.content.0.text", "delta"},
	} {
		code, body := post(t, h, c.path, `{`+c.body+`}`)
		if got, _ := at(decode(t, body), c.text).(string); code != 200 || !isPerson(got) {
			t.Errorf("%s %s: %d %s", c.path, c.body, code, body)
		}
		_, body = post(t, h, c.path, `{`+c.body+`,"stream":true}`)
		all, _ := events(t, body)
		if got := text(all, c.part); !isPerson(got) {
			t.Errorf("%s %s, streamed: %q of %s", c.path, c.body, got, body)
		}
	}
}

// TestFormOfEach: several answers to one request each keep to the form.
func TestFormOfEach(t *testing.T) {
	_, h := start(t, serve.Options{})
	_, body := post(t, h, "/v1/chat/completions", `{"messages":[{"role":"user","content":"What is 12 + 30?"}],"temperature":1.5,"seed":1,"n":4,"max_tokens":300,"json_schema":`+person+`}`)
	answer := decode(t, body)
	for _, i := range []string{"0", "1", "2", "3"} {
		content, _ := at(answer, "choices."+i+".message.content").(string)
		if at(answer, "choices."+i+".finish_reason") != "length" && !isPerson(content) {
			t.Errorf("answer %s: %s", i, body)
		}
	}
}

// TestFormAfterThought: the reasoning is what it is without a form.
func TestFormAfterThought(t *testing.T) {
	_, h := start(t, serve.Options{})
	_, body := post(t, h, "/v1/chat/completions", `{`+sum+`,"json_schema":{"const":{"sum":42}}}`)
	answer := decode(t, body)
	var content map[string]int
	text, _ := at(answer, "choices.0.message.content").(string)
	if err := json.Unmarshal([]byte(text), &content); err != nil || content["sum"] != 42 || at(answer, "choices.0.message.reasoning_content") != thought {
		t.Errorf("%v in %s", err, body)
	}
}

// TestWarnings: what "strict": false lets pass is told, also at the end of a stream.
func TestWarnings(t *testing.T) {
	_, h := start(t, serve.Options{})
	const lenient = `{"properties":{"a":{"type":"string","pattern":"(.)\\1","maxLength":3}},"type":"object","maxProperties":1,"additionalProperties":false}`
	const format = `,"max_tokens":200,"response_format":{"type":"json_schema","json_schema":{"strict":false,"schema":` + lenient + `}}`
	_, body := post(t, h, "/v1/chat/completions", `{`+hello+format+`}`)
	warning, _ := at(decode(t, body), "warnings.0").(string)
	if !strings.Contains(warning, "#/properties/a: pattern is not enforced") {
		t.Errorf("%s", body)
	}
	_, body = post(t, h, "/v1/chat/completions", `{`+hello+format+`,"stream":true}`)
	if all, _ := events(t, body); text(all, "warnings.0") != warning {
		t.Errorf("%s", body)
	}
	_, body = post(t, h, "/completion", `{"prompt":"x","strict":false,"n_predict":99,"json_schema":`+lenient+`}`)
	if got, _ := at(decode(t, body), "warnings.0").(string); !strings.Contains(got, "pattern is not enforced") {
		t.Errorf("%s", body)
	}
}

// TestServerTokens: a grammar of the server may name tokens of the model.
func TestServerTokens(t *testing.T) {
	_, h := start(t, serve.Options{GBNF: `root ::= <think> "a" </think> "maybe"`})
	_, got := post(t, h, "/v1/chat/completions", `{"messages":[{"role":"user","content":"x"}]}`)
	if v := decode(t, got); at(v, "choices.0.message.content") != "maybe" || at(v, "choices.0.message.reasoning_content") != "a" {
		t.Error(got)
	}
}

// TestServerForm: a server's own form holds unless a request asks for another.
func TestServerForm(t *testing.T) {
	g, err := grammar.ParseGBNF(`root ::= "maybe"`)
	if err != nil {
		t.Fatal(err)
	}
	_, h := start(t, serve.Options{Grammar: g})
	for body, want := range map[string]string{
		`{"prompt":"x"}`: "maybe",
		`{"prompt":"x","grammar":"root ::= \"y\""}`: "y",
		`{"prompt":"x","json_schema":{"const":1}}`:  "1",
	} {
		if _, got := post(t, h, "/completion", body); at(decode(t, got), "content") != want {
			t.Errorf("%s: %s", body, got)
		}
	}
}
