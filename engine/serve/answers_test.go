package serve_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/llamakit/llamakit/engine/serve"
)

// TestAnswers asks every endpoint that generates, or shows what would be generated.
func TestAnswers(t *testing.T) {
	_, h := start(t, serve.Options{Model: "demo"})
	const long = `"prompt":"<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n","temperature":0`
	for _, c := range []struct {
		path, body string
		want       map[string]any
	}{
		{"/completion", `{"prompt":"Hello","n_predict":4,"temperature":0}`, map[string]any{"content": "user\nWhat is", "stop_type": "limit",
			"stop": true, "tokens_predicted": 4., "tokens_evaluated": 1., "has_new_line": true, "truncated": false, "prompt": "Hello",
			"model": "demo", "generation_settings.n_predict": 4., "generation_settings.temperature": 0., "timings.predicted_n": 4.}},
		{"/completion", `{"prompt":"Hello","n_predict":4,"temperature":0,"stop":["What"]}`, map[string]any{"content": "user\n", "stop_type": "word", "stopping_word": "What"}},
		{"/completion", `{` + long + `}`, map[string]any{"content": helloIs, "stop_type": "eos", "tokens_predicted": 9.}},
		{"/completion", `{` + long + `,"stop":["ow c"]}`, map[string]any{"content": "Hello! H", "stopping_word": "ow c"}},
		{"/completion", `{` + long + `,"stop":["you?!"]}`, map[string]any{"content": helloIs, "stop_type": "eos"}},
		{"/completion", `{` + long + `,"stop":["can I","can"]}`, map[string]any{"content": "Hello! How ", "stopping_word": "can"}},
		{"/completion", `{` + long + `,"stop":["",null]}`, nil},
		{"/completion", `{` + long + `,"stop":[""]}`, map[string]any{"content": helloIs}},
		{"/completion", `{` + long + `,"stop":"!"}`, map[string]any{"content": "Hello"}},
		{"/completion", `{"prompt":[1,2,3],"n_predict":3,"temperature":0,"return_tokens":true}`, map[string]any{"content": ",\" said be", "prompt": "\"#$"}},
		{"/completion", `{"prompt":["Hello",295,198],"n_predict":4,"temperature":0}`, map[string]any{"content": "What is the opposite", "tokens_evaluated": 3.}},
		{"/completion", `{"prompt":{"prompt_string":"Hello"},"n_predict":1,"temperature":0}`, map[string]any{"content": "user"}},
		{"/completion", `{"prompt":"Hello","n_predict":1,"temperature":0,"logit_bias":[["user",false]]}`, map[string]any{"content": " there", "generation_settings.logit_bias.0.token": 295.}},
		{"/completion", `{"prompt":"Hello","n_predict":1,"temperature":0,"logit_bias":{"537":100}}`, map[string]any{"content": " there"}},
		{"/completion", `{"prompt":"Hello","n_predict":4,"temperature":0,"response_fields":["content","timings/predicted_n","no/such"]}`, map[string]any{"content": "user\nWhat is", "timings/predicted_n": 4., "model": nil}},
		{"/completion", `{"prompt":"Hello","n_predict":1,"temperature":0,"id_slot":2}`, map[string]any{"id_slot": 2.}},
		{"/completion", `{"prompt":"Hello","n_predict":2,"samplers":["top_k","temperature"],"top_k":1}`, map[string]any{"content": "user\n", "generation_settings.samplers.1": "temperature"}},
		{"/completion", `{"prompt":"Hello","n_predict":4,"temperature":0,"n_indent":2}`, map[string]any{"content": "user\n", "stop_type": "limit", "tokens_predicted": 3.}},
		{"/completion", `{"prompt":"Hello","n_predict":4,"temperature":0,"t_max_predict_ms":1}`, map[string]any{"stop_type": "limit"}},
		{"/v1/completions", `{"prompt":["Hello","Hi"],"max_tokens":3,"temperature":0}`, map[string]any{"object": "text_completion", "choices.0.text": "user\nWhat",
			"choices.1.text": ", answer the", "choices.1.index": 1., "choices.0.finish_reason": "length", "usage.completion_tokens": 6., "usage.prompt_tokens": 2.}},
		{"/v1/completions", `{"prompt":"Hello","max_tokens":3,"temperature":0,"echo":true}`, map[string]any{"choices.0.text": "Hellouser\nWhat"}},
		{"/v1/chat/completions", `{` + hello + `}`, map[string]any{"object": "chat.completion", "choices.0.message.content": helloIs, "choices.0.finish_reason": "stop",
			"usage.prompt_tokens": 10., "usage.completion_tokens": 9., "choices.0.message.reasoning_content": nil}},
		{"/v1/chat/completions", `{` + hello + `,"max_tokens":3}`, map[string]any{"choices.0.message.content": "Hello! How", "choices.0.finish_reason": "length"}},
		{"/v1/chat/completions", `{` + hello + `,"max_tokens":3,"n":2}`, map[string]any{"choices.1.message.content": "Hello! How", "usage.completion_tokens": 6., "usage.prompt_tokens": 10.}},
		{"/v1/chat/completions", `{` + sum + `}`, map[string]any{"choices.0.message.content": "12 + 30 = 42", "choices.0.message.reasoning_content": thought}},
		{"/v1/chat/completions", `{` + sum + `,"reasoning_format":"none"}`, map[string]any{"choices.0.message.content": "<think>\n" + thought + "\n</think>\n\n12 + 30 = 42"}},
		{"/v1/chat/completions", `{` + sum + `,"chat_template_kwargs":{"enable_thinking":false}}`, map[string]any{"choices.0.message.content": "12 + 30 = 42", "choices.0.message.reasoning_content": nil}},
		{"/v1/chat/completions", `{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hel"}],"max_tokens":3,"temperature":0}`, map[string]any{"choices.0.message.content": "Helen I am"}},
		{"/v1/chat/completions", `{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"text","text":"Hel"}]}],"max_tokens":3,"temperature":0}`, map[string]any{"choices.0.message.content": "Helen I am"}},
		{"/v1/responses", `{"input":"Hello!","temperature":0}`, map[string]any{"status": "completed", "output.0.content.0.text": helloIs, "output.0.type": "message", "usage.output_tokens": 9.}},
		{"/v1/responses", `{"input":"What is 12 + 30?","temperature":0}`, map[string]any{"output.0.type": "reasoning", "output.0.content.0.text": thought, "output.1.content.0.text": "12 + 30 = 42"}},
		{"/v1/responses", `{"input":"Hello!","temperature":0,"max_output_tokens":3}`, map[string]any{"status": "incomplete", "incomplete_details.reason": "max_output_tokens"}},
		{"/v1/responses", `{"instructions":"Be nice","input":[{"role":"user","content":[{"type":"input_text","text":"Hello!"}]}],"temperature":0}`, map[string]any{"output.0.content.0.text": helloIs, "usage.input_tokens": 17.}},
		{"/v1/messages", `{"max_tokens":60,` + hello + `}`, map[string]any{"type": "message", "content.0.text": helloIs, "stop_reason": "end_turn", "stop_sequence": nil}},
		{"/v1/messages", `{"max_tokens":60,` + sum + `}`, map[string]any{"content.0.thinking": thought, "content.0.signature": "", "content.1.text": "12 + 30 = 42"}},
		{"/v1/messages", `{"max_tokens":60,` + sum + `,"thinking":{"type":"disabled"}}`, map[string]any{"content.0.text": "12 + 30 = 42"}},
		{"/v1/messages", `{"max_tokens":60,` + hello + `,"stop_sequences":["can"]}`, map[string]any{"content.0.text": "Hello! How ", "stop_reason": "stop_sequence", "stop_sequence": "can"}},
		{"/v1/messages", `{"max_tokens":3,` + hello + `,"system":[{"type":"text","text":"Be nice"}]}`, map[string]any{"stop_reason": "max_tokens", "usage.output_tokens": 3.}},
		{"/v1/messages/count_tokens", `{` + hello + `}`, map[string]any{"input_tokens": 10.}},
		{"/v1/responses/input_tokens", `{"input":"Hello!"}`, map[string]any{"input_tokens": 10., "object": "response.input_tokens"}},
		{"/v1/chat/completions/input_tokens", `{` + hello + `}`, map[string]any{"input_tokens": 10.}},
		{"/v1/chat/completions/render", `{` + hello + `}`, map[string]any{"n_tokens": 10., "token_ids.3": 1341., "prompt": "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n"}},
		{"/v1/chat/completions/render", `{"messages":[{"role":"user","content":"\ud83e\udd99\\ud800"}]}`, map[string]any{"prompt": "<|im_start|>user\n🦙\\ud800<|im_end|>\n<|im_start|>assistant\n"}},
		{"/apply-template", `{` + hello + `}`, map[string]any{"prompt": "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n"}},
		{"/tokenize", "\uFEFF" + `{"content":"Hello world"}`, map[string]any{"tokens.0": 1341., "tokens.3": nil}},
		{"/tokenize", `{"content":"Hello world"}`, map[string]any{"tokens.0": 1341., "tokens.2": 378.}},
		{"/tokenize", `{"content":"é","with_pieces":true}`, map[string]any{"tokens.0.piece.0": 195., "tokens.1.id": 102.}},
		{"/tokenize", `{"content":"<|im_end|>","parse_special":false}`, map[string]any{"tokens.6": 29.}},
		{"/tokenize", `{"content":["a<|im_end|>",5,"b"],"parse_special":false}`, map[string]any{"tokens.0": 64., "tokens.8": 5., "tokens.9": 65.}},
		{"/detokenize", `{"tokens":[1,2,300]}`, map[string]any{"content": "\"# and"}},
		{"/v1/embeddings", `{"input":["Hello","Hi"]}`, map[string]any{"object": "list", "data.1.index": 1., "data.1.object": "embedding", "usage.prompt_tokens": 2.}},
	} {
		code, body := post(t, h, c.path, c.body)
		if c.want == nil {
			if code != http.StatusBadRequest {
				t.Errorf("%s %s: %d, want 400", c.path, c.body, code)
			}
			continue
		}
		if code != http.StatusOK {
			t.Errorf("%s %s: %d %s", c.path, c.body, code, body)
			continue
		}
		got := decode(t, body)
		for path, want := range c.want {
			if x, whole := got[path]; whole && x == want {
				continue // a name with a slash
			}
			if x := at(got, path); x != want {
				t.Errorf("%s %s: %s is %v, want %v", c.path, c.body, path, x, want)
			}
		}
	}
}

// TestStreams compares what is streamed with the same answer in one piece.
func TestStreams(t *testing.T) {
	_, h := start(t, serve.Options{})
	chinese := `"messages":[{"role":"user","content":"你好"}],"temperature":0,"chat_template_kwargs":{"enable_thinking":false}`
	for _, c := range []struct{ path, body, whole, part string }{
		{"/completion", `{"prompt":"Hello","n_predict":12,"temperature":0%s}`, "content", "content"},
		{"/v1/completions", `{"prompt":"Hello","max_tokens":12,"temperature":0%s}`, "choices.0.text", "choices.0.text"},
		{"/v1/chat/completions", `{` + hello + `%s}`, "choices.0.message.content", "choices.0.delta.content"},
		{"/v1/chat/completions", `{` + hello + `,"stop":"ow c"%s}`, "choices.0.message.content", "choices.0.delta.content"},
		{"/v1/chat/completions", `{` + chinese + `%s}`, "choices.0.message.content", "choices.0.delta.content"},
		{"/v1/chat/completions", `{` + sum + `%s}`, "choices.0.message.reasoning_content", "choices.0.delta.reasoning_content"},
		{"/v1/responses", `{"input":"Hello!","temperature":0%s}`, "output.0.content.0.text", "delta"},
		{"/v1/messages", `{"max_tokens":50,` + hello + `%s}`, "content.0.text", "delta.text"},
	} {
		_, body := post(t, h, c.path, fmt.Sprintf(c.body, ""))
		want, _ := at(decode(t, body), c.whole).(string)
		_, body = post(t, h, c.path, fmt.Sprintf(c.body, `,"stream":true`))
		all, _ := events(t, body)
		if got := text(all, c.part); got != want || want == "" {
			t.Errorf("%s %s: streamed %q, whole %q", c.path, c.body, got, want)
		}
		if !utf8.ValidString(body) || strings.Contains(body, "\uFFFD") {
			t.Errorf("%s %s: the stream cuts characters", c.path, c.body)
		}
		if strings.Contains(c.path, "completions") != all[len(all)-1].done {
			t.Errorf("%s: [DONE] is where it should not be, or not where it should", c.path)
		}
	}
}

func TestStreamUsage(t *testing.T) {
	_, h := start(t, serve.Options{})
	_, body := post(t, h, "/v1/chat/completions", `{`+hello+`,"stream":true,"max_tokens":2,"stream_options":{"include_usage":true}}`)
	all, _ := events(t, body)
	n := len(all)
	if role, content := at(all[0].data, "choices.0.delta.role"), at(all[0].data, "choices.0.delta.content"); role != "assistant" || content != nil {
		t.Errorf("the first chunk has role %v, content %v", role, content)
	}
	if reason := at(all[n-3].data, "choices.0.finish_reason"); reason != "length" {
		t.Errorf("finish_reason %v", reason)
	}
	if at(all[n-2].data, "usage.total_tokens") != 12. || at(all[n-2].data, "choices.0") != nil {
		t.Errorf("the usage chunk is %v", all[n-2].data)
	}
}

func TestProgress(t *testing.T) {
	_, h := start(t, serve.Options{})
	_, body := post(t, h, "/completion", `{"prompt":"`+strings.Repeat("word ", 60)+`","n_predict":1,"stream":true,"return_progress":true,"cache_prompt":false}`)
	all, _ := events(t, body)
	if at(all[0].data, "prompt_progress.processed") != 0. || at(all[0].data, "prompt_progress.total") == nil || at(all[0].data, "prompt_progress.cache") != 0. {
		t.Errorf("the first event is %v", all[0].data)
	}
	_, body = post(t, h, "/completion", `{"prompt":"`+strings.Repeat("word ", 60)+`","n_predict":1}`)
	if n, _ := at(decode(t, body), "timings.cache_n").(float64); n < 50 {
		t.Errorf("%v tokens of the same prompt were cached", n)
	}
}

// TestEventOrder pins the order of the messages and responses APIs.
func TestEventOrder(t *testing.T) {
	_, h := start(t, serve.Options{})
	for _, c := range []struct {
		path, body string
		want       []string
	}{
		{"/v1/messages", `{"max_tokens":60,"stream":true,` + sum + `}`, []string{"message_start", "content_block_start thinking", "content_block_delta thinking_delta",
			"content_block_delta signature_delta", "content_block_stop", "content_block_start text", "content_block_delta text_delta", "content_block_stop", "message_delta", "message_stop"}},
		{"/v1/responses", `{"stream":true,"input":"Hello!","temperature":0}`, []string{"response.created", "response.in_progress", "response.output_item.added", "response.content_part.added",
			"response.output_text.delta", "response.output_text.done", "response.content_part.done", "response.output_item.done", "response.completed"}},
	} {
		_, body := post(t, h, c.path, c.body)
		all, _ := events(t, body)
		var got []string
		for i, e := range all {
			name := e.name
			for _, path := range []string{"content_block.type", "delta.type"} {
				if kind, ok := at(e.data, path).(string); ok {
					name += " " + kind
				}
			}
			if len(got) == 0 || got[len(got)-1] != name {
				got = append(got, name)
			}
			if n := at(e.data, "sequence_number"); c.path == "/v1/responses" && n != float64(i) {
				t.Errorf("event %d has sequence_number %v", i, n)
			}
			if e.name != e.data["type"] {
				t.Errorf("event %s has type %v", e.name, e.data["type"])
			}
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s: events %q, want %q", c.path, got, c.want)
		}
	}
}

// TestSameSeed: the same request gives the same text, alone and beside others.
func TestSameSeed(t *testing.T) {
	_, h := start(t, serve.Options{})
	body := `{"prompt":"Once","n_predict":24,"temperature":1.2,"seed":%d}`
	_, first := post(t, h, "/completion", fmt.Sprintf(body, 7))
	want := at(decode(t, first), "content")
	answers := make(chan any, 6)
	for i := range cap(answers) {
		go func() {
			seed := 7
			if i%2 == 1 {
				seed = 8
			}
			_, text := post(t, h, "/completion", fmt.Sprintf(body, seed))
			if got := at(decode(t, text), "content"); (got == want) != (seed == 7) {
				answers <- got
			} else {
				answers <- nil
			}
		}()
	}
	for range cap(answers) {
		if got := <-answers; got != nil {
			t.Errorf("in company: %q, alone: %q", got, want)
		}
	}
}

// TestUsageOfSeveralAnswers: what a request has computed is no cached token of it, whichever of its answers began first.
func TestUsageOfSeveralAnswers(t *testing.T) {
	_, h := start(t, serve.Options{})
	for i := range 8 {
		prompt := fmt.Sprintf("%d%s", i, strings.Repeat(" several answers", 20))
		_, body := post(t, h, "/v1/completions", fmt.Sprintf(`{"prompt":[%q,"%[1]s more"],"n":2,"max_tokens":1}`, prompt))
		answer := decode(t, body)
		if n := at(answer, "usage.prompt_tokens").(float64) - at(answer, "usage.prompt_tokens_details.cached_tokens").(float64); n < 20 {
			t.Fatalf("%v prompt tokens computed, the prompts have more in common: %s", n, body)
		}
		_, body = post(t, h, "/v1/completions", fmt.Sprintf(`{"prompt":"once %s","n":4,"max_tokens":1}`, prompt))
		if answer = decode(t, body); at(answer, "timings.cache_n") != at(answer, "usage.prompt_tokens_details.cached_tokens") || at(answer, "timings.cache_n").(float64) > 8 {
			t.Fatalf("cached tokens of a new prompt: %s", body)
		}
	}
}
