package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/engine/serve"
)

// model is opened once for all tests.
var model = sync.OnceValue(func() *engine.Model {
	m, err := engine.OpenBytes(context.Background(), demo.Name, demo.Model(), engine.Options{Context: 512, Threads: 2})
	if err != nil {
		panic(err)
	}
	return m
})

// start serves the demo model.
func start(t testing.TB, o serve.Options) (*serve.Server, *httptest.Server) {
	t.Helper()
	s, err := serve.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Load(func() (*engine.Model, error) { return model(), nil }); err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return s, h
}

// ask sends a request and returns the status and the body.
func ask(t testing.TB, h *httptest.Server, method, path, body string, headers ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(method, h.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	res, err := h.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

func post(t testing.TB, h *httptest.Server, path, body string) (int, string) {
	t.Helper()
	return ask(t, h, "POST", path, body)
}

// decode reads JSON into a map, and fails on anything else.
func decode(t testing.TB, text string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %.200q", err, text)
	}
	return v
}

// at follows a path of fields and indices, such as "choices.0.text".
func at(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[name]
		case []any:
			i := int(name[0] - '0')
			if i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

// event is a server-sent event.
type event struct {
	name string
	data map[string]any
	done bool // [DONE]
}

// events reads a whole stream; comments are counted apart.
func events(t testing.TB, text string) (all []event, comments int) {
	t.Helper()
	var e event
	for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
		line := s.Text()
		name, isName := strings.CutPrefix(line, "event: ")
		data, isData := strings.CutPrefix(line, "data: ")
		switch {
		case isName:
			e.name = name
		case isData && data == "[DONE]":
			all = append(all, event{done: true})
		case isData:
			e.data = decode(t, data)
			all, e = append(all, e), event{}
		case strings.HasPrefix(line, ":"):
			comments++
		case line != "":
			t.Fatalf("line %q in a stream", line)
		}
	}
	return all, comments
}

// text joins what the events of a stream have at a path.
func text(all []event, path string) (out string) {
	for _, e := range all {
		if s, ok := at(e.data, path).(string); ok {
			out += s
		}
	}
	return out
}

const (
	hello   = `"messages":[{"role":"user","content":"Hello!"}],"temperature":0`
	sum     = `"messages":[{"role":"user","content":"What is 12 + 30?"}],"temperature":0`
	helloIs = "Hello! How can I help you?"
	thought = "Ones: 2 + 0 = 2. Tens: 1 + 3 = 4. So 42."
)
