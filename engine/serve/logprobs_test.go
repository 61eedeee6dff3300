package serve_test

import (
	"testing"

	"github.com/llamakit/llamakit/engine/serve"
)

// TestLogprobs pins the three shapes, one entry a token, in one piece and streamed.
func TestLogprobs(t *testing.T) {
	_, h := start(t, serve.Options{})
	for _, c := range []struct {
		path, body string
		want       map[string]any
	}{
		{"/completion", `{"prompt":"Hello","n_predict":3,"temperature":0,"n_probs":2}`, map[string]any{"completion_probabilities.0.id": 295.,
			"completion_probabilities.0.token": "user", "completion_probabilities.0.top_logprobs.1.token": " there", "completion_probabilities.2.bytes.0": 87.,
			"completion_probabilities.3": nil}},
		{"/completion", `{"prompt":"Hello","n_predict":2,"temperature":0,"n_probs":2,"post_sampling_probs":true}`, map[string]any{
			"completion_probabilities.0.prob": 1., "completion_probabilities.0.top_probs.0.id": 295., "completion_probabilities.0.logprob": nil}},
		{"/v1/completions", `{"prompt":"Hello","max_tokens":2,"temperature":0,"logprobs":1}`, map[string]any{"choices.0.logprobs.tokens.0": "user",
			"choices.0.logprobs.text_offset.1": 4., "choices.0.logprobs.token_logprobs.2": nil}},
		{"/v1/completions", `{"prompt":"Hello","max_tokens":2,"temperature":0}`, map[string]any{"choices.0.logprobs": nil}},
		{"/v1/chat/completions", `{` + hello + `,"max_tokens":2,"logprobs":true,"top_logprobs":1}`, map[string]any{"choices.0.logprobs.content.1.token": "!",
			"choices.0.logprobs.content.0.top_logprobs.0.id": 1341., "choices.0.logprobs.content.2": nil}},
		{"/v1/chat/completions", `{` + hello + `,"max_tokens":2}`, map[string]any{"choices.0.logprobs": nil}},
	} {
		_, body := post(t, h, c.path, c.body)
		got := decode(t, body)
		for path, want := range c.want {
			if x := at(got, path); x != want {
				t.Errorf("%s %s: %s is %v, want %v", c.path, c.body, path, x, want)
			}
		}
	}
	_, body := post(t, h, "/v1/chat/completions", `{"messages":[{"role":"user","content":"你好"}],"temperature":0,"chat_template_kwargs":{"enable_thinking":false},"logprobs":true,"stream":true}`)
	all, _ := events(t, body)
	entries, bytes := 0, 0
	for _, e := range all {
		content, _ := at(e.data, "choices.0.logprobs.content").([]any)
		entries += len(content)
		for _, entry := range content {
			part, _ := at(entry, "bytes").([]any)
			bytes += len(part)
		}
	}
	if answer := text(all, "choices.0.delta.content"); bytes != len(answer) || entries < 5 {
		t.Errorf("%d entries with %d bytes for %q", entries, bytes, answer)
	}
}
