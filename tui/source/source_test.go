package source_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/engine/serve"
	"github.com/llamakit/llamakit/tui/source"
)

var model = sync.OnceValue(func() *engine.Model {
	m, err := engine.OpenBytes(context.Background(), demo.Name, demo.Model(), engine.Options{Context: 512, Threads: 2})
	if err != nil {
		panic(err)
	}
	return m
})

// both are the demo model in this process, and behind a server.
func both(t *testing.T) map[string]source.Source {
	t.Helper()
	s, err := serve.New(serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Load(func() (*engine.Model, error) { return model(), nil }); err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	remote, err := source.Connect(t.Context(), h.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]source.Source{"local": source.Local{Model: model()}, "server": remote}
}

const weather = `[{"type": "function", "function": {"name": "get_weather", "description": "Get the weather in a city",
"parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]`

// said is an answer put together.
type said struct {
	text, reasoning, name, arguments, chosen string
	result                                   *engine.Result
	generated                                int
}

func answer(t *testing.T, s source.Source, r source.Request) (a said) {
	t.Helper()
	for e, err := range s.Generate(t.Context(), r) {
		if err != nil {
			t.Fatal(err)
		}
		a.text += e.Text
		a.reasoning += e.Reasoning
		for _, c := range e.Calls {
			a.name += c.Name
			a.arguments += c.Arguments
		}
		for _, c := range e.Chosen {
			a.chosen += string(c.Bytes)
			if len(c.Top) != r.TopProbs {
				t.Errorf("%d alternatives", len(c.Top))
			}
		}
		if e.Result != nil {
			a.result, a.generated = e.Result, e.Generated
		}
	}
	return a
}

func greedy(messages ...chat.Message) source.Request {
	p := sample.DefaultParams()
	p.Temperature, p.Seed = 0, 1
	return source.Request{Request: engine.Request{Messages: messages, Sampling: p, Template: engine.TemplateOptions{Thinking: engine.ThinkingOff}}}
}

// TestSourcesAgree asks the same of a model and of a server that has it.
func TestSourcesAgree(t *testing.T) {
	sum := greedy(chat.Message{Role: "user", Content: "What is 12 + 30?"})
	sum.Template.Thinking = engine.ThinkingOn
	tools := greedy(chat.Message{Role: "user", Content: "Is it raining in Quito?"})
	tools.Template.Tools = []byte(weather)
	raw := greedy()
	raw.Prompt, raw.MaxTokens = "Hello", 4
	probs := greedy(chat.Message{Role: "user", Content: "Hello!"})
	probs.Probs, probs.TopProbs = true, 3
	schema := greedy(chat.Message{Role: "user", Content: "Hello!"})
	schema.Schema = json.RawMessage(`{"const": "x y"}`)
	for name, c := range map[string]struct {
		r    source.Request
		want func(said) bool
	}{
		"reasoning": {sum, func(a said) bool { return strings.Contains(a.text, "42") && a.reasoning != "" }},
		"tools": {tools, func(a said) bool {
			return a.text == "" && a.name == "get_weather" && strings.Contains(a.arguments, `"Quito"`)
		}},
		"prompt":        {raw, func(a said) bool { return a.text != "" && a.result.GeneratedTokens == 4 }},
		"probabilities": {probs, func(a said) bool { return strings.HasPrefix(a.chosen, a.text) && a.chosen != "" }},
	} {
		var texts []string
		for kind, s := range both(t) {
			a := answer(t, s, c.r)
			if !c.want(a) || a.generated != a.result.GeneratedTokens || a.result.PromptTokens == 0 {
				t.Errorf("%s, %s: %+v %+v", name, kind, a, a.result)
			}
			texts = append(texts, a.text+a.reasoning+a.arguments)
		}
		if texts[0] != texts[1] {
			t.Errorf("%s: %q", name, texts)
		}
	}
	if a := answer(t, both(t)["server"], schema); a.text != `"x y"` {
		t.Errorf("a schema gives %q", a.text)
	}
}

func TestPromptAndPieces(t *testing.T) {
	var texts []string
	for kind, s := range both(t) {
		text, tokens, err := s.Prompt(t.Context(), greedy(chat.Message{Role: "user", Content: "Hi 日本"}))
		if err != nil {
			t.Fatal(kind, err)
		}
		pieces, err := s.Pieces(t.Context(), tokens)
		if err != nil {
			t.Fatal(kind, err)
		}
		joined := ""
		for _, p := range pieces {
			joined += string(p.Bytes)
		}
		if joined != text || !strings.Contains(text, "Hi 日本") {
			t.Errorf("%s: %q, of tokens %q", kind, text, joined)
		}
		texts = append(texts, text)
		if i := s.Info(); i.Context != 512 || i.Template == "" || i.Name == "" {
			t.Errorf("%s: %+v", kind, i)
		}
	}
	if texts[0] != texts[1] {
		t.Errorf("%q", texts)
	}
}

// TestPoorServer meets servers that lack endpoints, or break.
func TestPoorServer(t *testing.T) {
	mode := ""
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/v1/models":
			w.Write([]byte(`{"data": [{"id": "other"}]}`))
		case r.URL.Path != "/v1/chat/completions":
			http.NotFound(w, r)
		case mode == "error":
			w.WriteHeader(http.StatusBadRequest)
			w.Write([]byte(`{"error": {"message": "too long"}}`))
		case mode == "key":
			w.WriteHeader(http.StatusUnauthorized)
		case mode == "cut":
			w.Write([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n"))
		case mode == "gone":
			w.Write([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n"))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case mode == "late":
			w.Write([]byte("data: {\"error\":{\"message\":\"broke\"}}\n\n"))
		case mode == "junk":
			w.Write([]byte("data: {\n\n"))
		default:
			w.Write([]byte(": ping\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"Hello\"},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n"))
		}
	}))
	defer h.Close()
	s, err := source.Connect(t.Context(), strings.TrimPrefix(h.URL, "http://")+"/v1/", "")
	if err != nil || s.Info().Name != "other" {
		t.Fatal(err, s.Info())
	}
	if _, err := s.Tokenize(t.Context(), "x", false); !errors.Is(err, source.ErrMissing) {
		t.Errorf("tokens: %v", err)
	}
	if a := answer(t, s, greedy(chat.Message{Role: "user", Content: "x"})); a.text != "Hello" || a.result.Stop != engine.StopLimit {
		t.Errorf("%+v", a)
	}
	for m, want := range map[string]string{"error": "too long", "key": "--api-key", "cut": "ends early", "gone": "ends early", "late": "broke", "junk": "not JSON"} {
		mode = m
		var last error
		for _, err := range s.Generate(t.Context(), greedy(chat.Message{Role: "user", Content: "x"})) {
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), want) {
			t.Errorf("%s: %v", m, last)
		}
	}
	for _, address := range []string{"", "ftp://x", "http://", h.URL + "/nowhere"} {
		if _, err := source.Connect(t.Context(), address, ""); err == nil {
			t.Errorf("%q is taken for a server", address)
		}
	}
}

// TestClosedConnection meets a server that closes connections after an answer, which llama.cpp's does when they are idle: what
// was sent meanwhile is sent again.
func TestClosedConnection(t *testing.T) {
	var answered sync.Map // by connection
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, again := answered.LoadOrStore(r.RemoteAddr, true); again {
			panic(http.ErrAbortHandler)
		}
		w.Write([]byte(`{"tokens": [{"id": 1, "piece": "a"}, {"id": 2, "piece": "b"}]}`))
	}))
	defer h.Close()
	s, err := source.Connect(t.Context(), h.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if tokens, err := s.Tokenize(t.Context(), "x", false); err != nil || len(tokens) != 2 {
			t.Errorf("%v, %v", tokens, err)
		}
	}
}

func FuzzStream(f *testing.F) {
	f.Add("data: {\"choices\":[{\"delta\":{\"content\":\"Hel\",\"tool_calls\":[{\"index\":9,\"function\":{\"name\":\"f\"}}]}}]}\n\n")
	f.Add("data: {\"content\":\"x\",\"stop\":true,\"stop_type\":\"eos\",\"completion_probabilities\":[{\"id\":1,\"bytes\":[300]}]}\n\ndata: [DONE]")
	f.Fuzz(func(t *testing.T, body string) {
		h := httptest.NewRecorder()
		h.WriteString(body)
		source.Read(h.Result().Body)
	})
}
