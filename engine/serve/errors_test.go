package serve_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine/serve"
)

// TestBadRequests: wrong requests are told what is wrong, in few words, and nothing of theirs comes back at length.
func TestBadRequests(t *testing.T) {
	_, h := start(t, serve.Options{Body: 1 << 20})
	const chat, native, messages, responses = "/v1/chat/completions", "/completion", "/v1/messages", "/v1/responses"
	for _, c := range []struct {
		path, body string
		code       int
		words      string // that the message has
	}{
		{native, `{"prompt":"x","n_predict":"a"}`, 400, "'n_predict' must be a whole number, got a string"},
		{native, `{"prompt":"x","n_predict":3.7}`, 400, "'n_predict' must be a whole number, got 3.7"},
		{native, `{"prompt":"x","n_predict":-5}`, 400, "'n_predict' is -5, want -1 to 2147483647"},
		{native, `{"prompt":"x","temperature":[]}`, 400, "'temperature' must be a number, got an array"},
		{native, `{"prompt":"x","temperature":1e300}`, 400, "too large"},
		{native, `{"prompt":"x","stream":"yes"}`, 400, "'stream' must be a boolean"},
		{native, `{"prompt":"x","stop":5}`, 400, "'stop' must be an array of strings"},
		{native, `{"prompt":"x","stop":["a",5]}`, 400, "'stop' must be an array of strings"},
		{native, `{"prompt":"x","top_p":2}`, 400, "top_p is 2"},
		{native, `{"prompt":"x","mirostat":3}`, 400, "'mirostat' is 3, want 0 to 2"},
		{native, `{"prompt":"x","samplers":["bogus"]}`, 400, "bogus"},
		{native, `{"prompt":"x","samplers":"kz"}`, 400, "letter"},
		{native, `{"prompt":"x","logit_bias":{"99999":1}}`, 400, "99999"},
		{native, `{"prompt":"x","logit_bias":[[-1,1]]}`, 400, "token -1"},
		{native, `{"prompt":"x","logit_bias":[[1]]}`, 400, "1 elements"},
		{native, `{"prompt":"x","logit_bias":[[1,true]]}`, 400, "neither a number nor false"},
		{native, `{"prompt":"x","dry_sequence_breakers":[]}`, 400, "must not be empty"},
		{native, `{"prompt":"x","dry_sequence_breakers":["a"` + strings.Repeat(`,"a"`, 300) + `]}`, 400, "301 texts, 256 may be"},
		{native, `{"prompt":"x","n":99}`, 400, "'n' is 99, want 1 to 4"},
		{native, `{"prompt":"x","prompt":"y"}`, 400, "'prompt' is given twice"},
		{native, `{"prompt":5}`, 400, "'prompt' must be a text"},
		{native, `{"prompt":""}`, 400, "empty"},
		{native, `{"prompt":[]}`, 400, "must not be empty"},
		{native, `{"prompt":[99999]}`, 400, "99999"},
		{native, `{"prompt":[1,null]}`, 400, "element 1"},
		{native, `{}`, 400, "'prompt' is required"},
		{native, `[]`, 400, "must be a JSON object, got an array"},
		{native, `{"prompt":`, 400, "ends early"},
		{native, "{\n\"prompt\": x}", 400, "line 2, column 11"},
		{native, `{"prompt":"x"} y`, 400, "after top-level value"},
		{native, "{\"prompt\":\"\xff\"}", 400, "UTF-8"},
		{native, `{"prompt":"\ud83e","n_predict":1}`, 400, "half a character"},
		{native, `{"prompt":"\ud83e\u0041","n_predict":1}`, 400, "half a character"},
		{native, `{"prompt":"\udd99\ud83e","n_predict":1}`, 400, "half a character"},
		{native, `{"prompt":"\\\ud83e","n_predict":1}`, 400, "half a character"},
		{native, `{"prompt":"x","grammar":"root ::= a"}`, 400, "'grammar': "},
		{native, `{"prompt":"x","grammar":5}`, 400, "'grammar' must be a string"},
		{native, `{"prompt":"x","grammar":"root ::= \"a\"","json_schema":{}}`, 400, "both ask"},
		{native, `{"prompt":"x","json_schema":5}`, 400, "'json_schema' cannot be enforced"},
		{native, `{"prompt":"x","json_schema":{"properties":{"a":{"type":"strin"}}}}`, 400, "'json_schema' cannot be enforced: #/properties/a: type: "},
		{native, `{"prompt":"x","json_schema":{"properties":{"a":{"pattern":"(.)\\1"}}}}`, 400, "#/properties/a: pattern: "},
		{native, `{"prompt":"x","json_schema":{"properties":{"` + strings.Repeat("a", 5000) + `":{"pattern":"(.)\\1"}}}}`, 400, "pattern: "},
		{native, `{"prompt":[` + strings.Repeat(`"x",`, 1023) + `"x"],"n":4}`, 400, "4096 answers"},
		{native, `{"prompt":"x","n_discard":-1}`, 400, "'n_discard' is -1"},
		{native, `{"prompt":"x","n_discard":"x"}`, 400, "'n_discard' must be a whole number"},
		{native, `{"prompt":"x","lora":[{"id":0}]}`, 400, "adapters"},
		{native, `{"prompt":"` + strings.Repeat("a ", 600) + `"}`, 400, "601 tokens, the context holds 512"},
		{native, `{"prompt":"` + strings.Repeat("a ", 600) + `","stream":true}`, 400, "601 tokens, the context holds 512"},
		{native, `{"prompt":"` + strings.Repeat("a", 2<<20) + `"}`, 413, "larger than 1048576 bytes"},
		{chat, `{}`, 400, "'messages' is required"},
		{chat, `{"messages":[]}`, 400, "must not be empty"},
		{chat, `{"messages":{}}`, 400, "'messages' must be an array, got an object"},
		{chat, `{"messages":["x"]}`, 400, "'messages[0]' must be a JSON object, got a string"},
		{chat, `{"messages":[{"content":"x"}]}`, 400, "'messages[0].role' is required"},
		{chat, `{"messages":[{"role":"user"}]}`, 400, "'messages[0].content' is required"},
		{chat, `{"messages":[{"role":"user","content":5}]}`, 400, "'messages[0].content' must be a string"},
		{chat, `{"messages":[{"role":"user","content":[{"type":"text"}]}]}`, 400, "'messages[0].content[0].text' is required"},
		{chat, `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:!!!"}}]}]}`, 400, "text only"},
		{chat, `{"messages":[{"role":"assistant","content":"a"},{"role":"assistant","content":"b"}]}`, 400, "both the assistant's"},
		{chat, `{` + hello + `,"continue_final_message":true}`, 400, "not the assistant's"},
		{chat, `{` + hello + `,"response_format":{"type":"bogus"}}`, 400, "response_format"},
		{chat, `{` + hello + `,"response_format":{"type":"json_schema"}}`, 400, "'response_format.schema' is required"},
		{chat, `{` + hello + `,"response_format":{"type":"json_schema","json_schema":{"schema":{"$ref":"#/x"}}}}`, 400, "'response_format.json_schema.schema' cannot be enforced"},
		{chat, `{` + hello + `,"response_format":{"type":"json_schema","schema":{},"strict":5}}`, 400, "'response_format.strict' must be a boolean"},
		{chat, `{` + hello + `,"response_format":{"type":"json_object"},"json_schema":{}}`, 400, "both ask"},
		{chat, `{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"Well"}],"json_schema":{}}`, 400, "beginning of the answer"},
		{chat, `{` + hello + `,"tools":5}`, 400, "'tools' must be an array"},
		{chat, `{` + hello + `,"tools":[{}]}`, 400, "'tools[0].function' is required"},
		{chat, `{` + hello + `,"tools":` + strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + `}`, 400, "'tools[0]' must be a JSON object"},
		{chat, `{` + hello + `,"tools":` + strings.Repeat("[", 30000) + strings.Repeat("]", 30000) + `}`, 400, "depth"},
		{chat, `{` + hello + `,"tool_choice":"bogus"}`, 400, "tool_choice"},
		{chat, `{` + hello + `,"tool_choice":"required"}`, 400, "no tools"},
		{chat, `{` + hello + `,"reasoning_format":"bogus"}`, 400, "reasoning_format"},
		{chat, `{` + hello + `,"chat_template_kwargs":{"enable_thinking":"x"}}`, 400, "'chat_template_kwargs.enable_thinking' must be a boolean"},
		{chat, `{` + hello + `,"stream_options":5}`, 400, "'stream_options' must be an object"},
		{chat, `{` + hello + `,"top_logprobs":2}`, 400, "needs 'logprobs'"},
		{messages, `{` + hello + `}`, 400, "'max_tokens' is required"},
		{messages, `{"max_tokens":5,"messages":[]}`, 400, "must not be empty"},
		{messages, `{"max_tokens":5,"messages":[{"role":"bogus","content":"x"}]}`, 400, "must be user or assistant"},
		{messages, `{"max_tokens":5,"messages":[{"role":"user","content":[{"type":"image"}]}]}`, 400, "text only"},
		{messages, `{"max_tokens":5,` + hello + `,"tools":[{"type":"web_search_20250305","name":"f"}]}`, 400, "'tools[0].type' must be custom"},
		{messages, `{"max_tokens":5,` + hello + `,"tools":[{"name":"f","input_schema":{"type":"object","properties":{"a":{"pattern":"(.)\\1"}}}}]}`, 400, "'tools[0].input_schema' of the tool 'f' cannot be enforced: #/properties/a: pattern"},
		{messages, `{"max_tokens":5,` + hello + `,"tools":[{"name":"f"}],"tool_choice":{"type":"tool"}}`, 400, "'tool_choice.name' is required"},
		{native, `{"prompt":"x","tools":[{}]}`, 400, "needs a conversation"},
		{"/v1/responses", `{"input":"x","tools":[{"type":"web_search"}]}`, 400, "'tools[0].type' must be function"},
		{responses, `{}`, 400, "'input' is required"},
		{responses, `{"input":5}`, 400, "'input' must be a string or an array"},
		{responses, `{"input":[{"type":"bogus"}]}`, 400, "'input[0].type'"},
		{responses, `{"input":"x","previous_response_id":"resp_1"}`, 400, "previous_response_id"},
		{responses, `{"input":"x","text":{"format":{"type":"json_schema"}}}`, 400, "'text.format.schema' is required"},
		{responses, `{"input":[{"role":"user"}]}`, 400, "'input[0].content' is required"},
		{responses, `{"input":[{"role":"bogus","content":"x"}]}`, 400, "'input[0].role' must be user"},
		{responses, `{"input":[{"role":"user","content":[{"type":"input_text"}]}]}`, 400, "'input[0].content[0].text' is required"},
		{responses, `{"input":"x","conversation":{"id":"c"}}`, 400, "'conversation' names"},
		{messages, `{"max_tokens":5,"messages":[{"role":"user","content":[{"type":"text"}]}]}`, 400, "'messages[0].content[0].text' is required"},
		{"/detokenize", `{"tokens":[99999]}`, 400, "99999"},
		{"/detokenize", `{"tokens":[1,null]}`, 400, "element 1 of field 'tokens' must be a token, got null"},
		{"/detokenize", `{"tokens":5}`, 400, "'tokens' must be an array"},
		{"/tokenize", `{"content":["a",[1]]}`, 400, "element 1 of field 'content'"},
		{"/tokenize", `{"content":5}`, 400, "'content' must be a string"},
		{"/infill", `{"input_prefix":"a"}`, 501, "prefix, suffix, middle"},
		{"/v1/embeddings", `{"input":["a",""]}`, 400, "empty"},
		{"/v1/embeddings", `{"input":"a","encoding_format":"bogus"}`, 400, "encoding_format"},
		{"/v1/rerank", `{"query":"x","documents":["a"]}`, 501, "--reranking"},
		{"/slots/0?action=save", `{"filename":"x"}`, 501, "slot"},
		{"/slots/99?action=save", `{"filename":"x"}`, 400, "no slot 99"},
		{"/slots/0?action=bogus", `{}`, 400, "action"},
		{"/props", `{}`, 501, "--props"},
		{"/nope", ``, 404, "Not Found"},
	} {
		code, body := post(t, h, c.path, c.body)
		got := decode(t, body)
		message, _ := at(got, "error.message").(string)
		if code != c.code || !strings.Contains(message, c.words) {
			t.Errorf("%s %.100s: %d %q, want %d with %q", c.path, c.body, code, message, c.code, c.words)
		}
		if len(body) > 600 {
			t.Errorf("%s %.100s: an error of %d bytes", c.path, c.body, len(body))
		}
		if c.path == messages {
			if got["type"] != "error" {
				t.Errorf("%s: error %s is not in Anthropic's shape", c.path, body)
			}
		} else if at(got, "error.code") != float64(code) || at(got, "error.type") == nil {
			t.Errorf("%s: error %s lacks code or type", c.path, body)
		}
	}
	_, body := post(t, h, native, `{"prompt":"`+strings.Repeat("a ", 600)+`"}`)
	if e := decode(t, body)["error"]; at(e, "n_prompt_tokens") != 601. || at(e, "n_ctx") != 512. || at(e, "type") != "exceed_context_size_error" {
		t.Errorf("too long a prompt: %s", body)
	}
	if code, _ := ask(t, h, "GET", native, ""); code != http.StatusNotFound {
		t.Errorf("GET %s: %d", native, code)
	}
}
