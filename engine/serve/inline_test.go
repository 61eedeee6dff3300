package serve_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/engine/serve"
)

// TestCallsBehindReasoning: reasoning that stays in the content does not hide a call that must begin the answer, streamed or not.
func TestCallsBehindReasoning(t *testing.T) {
	const llama = `{% for m in messages %}<|im_start|>{{ m.role }}
{% if m.tool_calls %}{"name": "{{ m.tool_calls[0].function.name }}", "parameters": {{ m.tool_calls[0].function.arguments | tojson }}}{% else %}{{ m.content }}{% endif %}<|im_end|>
{% endfor %}{% for tool in tools %}{{ tool | tojson }}{% endfor %}<|im_start|>assistant
<think>`
	m, err := engine.OpenBytes(context.Background(), demo.Name, demo.Model(), engine.Options{Context: 1024, Threads: 2, Template: llama})
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
	const tool = `{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"x":{"const":"y"}},"required":["x"]}}}`
	for _, format := range []string{"none", "auto", "deepseek-legacy"} {
		body := `{` + quito + `,"tools":[` + tool + `],"tool_choice":{"type":"function","function":{"name":"f"}},"reasoning_budget_tokens":5,"logit_bias":[[4095,-100]],"reasoning_format":"` + format + `"`
		_, got := post(t, h, "/v1/chat/completions", body+`}`)
		answer := decode(t, got)
		content, _ := at(answer, "choices.0.message.content").(string)
		apart, _ := at(answer, "choices.0.message.reasoning_content").(string)
		name, _, _ := call(answer, "0")
		inside := strings.HasPrefix(content, "<think>") && strings.HasSuffix(content, "</think>")
		if name != "f" || inside != (format != "auto") || (apart == "") != (format == "none") {
			t.Errorf("%s: %s", format, got)
		}
		_, got = post(t, h, "/v1/chat/completions", body+`,"stream":true}`)
		all, _ := events(t, got)
		if format == "none" && text(all, "choices.0.delta.content") != content || text(all, "choices.0.delta.reasoning_content") != apart ||
			text(all, "choices.0.delta.tool_calls.0.function.name") != "f" {
			t.Errorf("%s: %s", format, got)
		}
	}
}
