package serve_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/serve"
)

// FuzzRequest sends bodies to the endpoints that read most and generate nothing.
func FuzzRequest(f *testing.F) {
	for _, body := range []string{`{` + hello + `}`, `{"input":[{"role":"user","content":[{"type":"input_text","text":"x"}]}]}`,
		`{"system":"x","messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"b"}]}]}]}`,
		`{"prompt":[1,"a"],"logit_bias":[["x",false]],"samplers":"kt","stop":["a"]}`, `{"tokens":[1,2]}`, `{"content":"x"}`, `[`, `{"a":1,"a":2}`} {
		f.Add(body)
	}
	s, err := serve.New(serve.Options{})
	if err != nil {
		f.Fatal(err)
	}
	if err := s.Load(func() (*engine.Model, error) { return model(), nil }); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/v1/chat/completions/render", "/v1/completions/render", "/v1/messages/count_tokens", "/v1/responses/input_tokens",
			"/apply-template", "/tokenize", "/detokenize"} {
			r := httptest.NewRequest("POST", path, strings.NewReader(body))
			r.Host = "localhost"
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code >= 500 && w.Code != 501 {
				t.Errorf("%s %q: %d %s", path, body, w.Code, w.Body)
			}
		}
	})
}
