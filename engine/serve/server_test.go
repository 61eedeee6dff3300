package serve_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/serve"
)

// endless is a request whose answer never ends, on a server that shifts the context.
const endless = `{"prompt":"Once","n_predict":-1,"ignore_eos":true,"stream":true,"seed":1}`

// open begins a stream and reads its first event.
func open(t *testing.T, ctx context.Context, url string) *http.Response {
	t.Helper()
	r, _ := http.NewRequestWithContext(ctx, "POST", url+"/completion", strings.NewReader(endless))
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	if _, err := bufio.NewReaderSize(res.Body, 16).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return res
}

// busy counts the slots that are processing.
func busy(t *testing.T, h *httptest.Server) (n int) {
	_, body := ask(t, h, "GET", "/slots", "")
	return strings.Count(body, `"is_processing":true`)
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 500 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("never: " + what)
}

func TestGuard(t *testing.T) {
	_, h := start(t, serve.Options{Keys: []string{"sk-a", "sk-b"}, Prefix: "/pre", Metrics: true})
	_, free := start(t, serve.Options{Origins: []string{"localhost", "https://ui.example"}, Credentials: true})
	for _, c := range []struct {
		server  *httptest.Server
		method  string
		path    string
		headers []string
		code    int
	}{
		{h, "GET", "/pre/health", nil, 200},
		{h, "GET", "/health", nil, 404},
		{h, "GET", "/pre/slots", nil, 401},
		{h, "GET", "/pre/props", nil, 401},
		{h, "GET", "/pre/status", nil, 401},
		{h, "GET", "/pre/metrics", nil, 401},
		{h, "POST", "/pre/slots/0?action=save", nil, 401},
		{h, "POST", "/pre/slots/0?action=restore", nil, 401},
		{h, "POST", "/pre/v1/messages", nil, 401},
		{h, "GET", "/pre/metrics", []string{"Authorization", "Bearer sk-b"}, 200},
		{h, "GET", "/pre/v1/models", []string{"Authorization", "sk-a"}, 200},
		{h, "GET", "/pre/v1/models", []string{"X-Api-Key", "sk-a"}, 200},
		{h, "GET", "/pre/v1/models", []string{"Authorization", "Bearer sk-"}, 401},
		{h, "GET", "/v1/models", []string{"X-Api-Key", "sk-a"}, 404},
		{free, "GET", "/v1/models", []string{"Host", "evil.example"}, 403},
		{free, "GET", "/v1/models", []string{"Host", "localhost:1"}, 200},
		{free, "GET", "/v1/models", []string{"Origin", "http://evil.example"}, 403},
		{free, "POST", "/completion", []string{"Origin", "http://evil.example", "Content-Type", "text/plain"}, 403},
		{free, "GET", "/v1/models", []string{"Origin", "http://localhost.evil.example"}, 403},
		{free, "GET", "/v1/models", []string{"Origin", "null"}, 403},
		{free, "GET", "/v1/models", []string{"Origin", "http://localhost:3000"}, 200},
		{free, "GET", "/v1/models", []string{"Origin", "https://ui.example"}, 200},
		{free, "OPTIONS", "/v1/models", []string{"Origin", "https://ui.example"}, 200},
		{free, "OPTIONS", "/v1/models", []string{"Origin", "https://evil.example"}, 403},
	} {
		if code, body := ask(t, c.server, c.method, c.path, "", c.headers...); code != c.code {
			t.Errorf("%s %s %v: %d, want %d: %s", c.method, c.path, c.headers, code, c.code, body)
		}
	}
	if _, err := serve.New(serve.Options{Hosts: []string{"0.0.0.0"}}); err == nil {
		t.Error("a server for everybody without a key")
	}
	for _, o := range []serve.Options{{Hosts: []string{"0.0.0.0"}, Keys: []string{"k"}}, {Hosts: []string{"0.0.0.0"}, NoAuth: true}, {Hosts: []string{"::1", "localhost"}}} {
		if _, err := serve.New(o); err != nil {
			t.Errorf("%v: %v", o.Hosts, err)
		}
	}
}

func TestLoading(t *testing.T) {
	s, err := serve.New(serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	defer h.Close()
	for _, path := range []string{"/health", "/v1/models", "/slots"} {
		if code, body := ask(t, h, "GET", path, ""); code != 503 || !strings.Contains(body, "Loading model") {
			t.Errorf("%s while loading: %d %s", path, code, body)
		}
	}
	if err := s.Load(func() (*engine.Model, error) { return model(), nil }); err != nil {
		t.Fatal(err)
	}
	if code, _ := ask(t, h, "GET", "/health", ""); code != 200 {
		t.Errorf("/health: %d", code)
	}
}

// TestDisconnect: a client that goes away frees its slot.
func TestDisconnect(t *testing.T) {
	_, h := start(t, serve.Options{Shift: true})
	for _, streaming := range []bool{true, false} {
		ctx, cancel := context.WithCancel(context.Background())
		if streaming {
			open(t, ctx, h.URL)
		} else {
			r, _ := http.NewRequestWithContext(ctx, "POST", h.URL+"/completion", strings.NewReader(strings.Replace(endless, `"stream":true`, `"stream":false`, 1)))
			go func() {
				if res, err := http.DefaultClient.Do(r); err == nil {
					res.Body.Close()
				}
			}()
		}
		eventually(t, "a slot is busy", func() bool { return busy(t, h) == 1 })
		cancel()
		eventually(t, "the slot is free", func() bool { return busy(t, h) == 0 })
	}
}

// TestFullQueue: who finds no room is told so at once, and health answers nevertheless.
func TestFullQueue(t *testing.T) {
	_, h := start(t, serve.Options{Queue: 1, Shift: true, Metrics: true})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for range 4 {
		open(t, ctx, h.URL)
	}
	r, _ := http.NewRequestWithContext(ctx, "POST", h.URL+"/completion", strings.NewReader(endless))
	go func() {
		if res, err := http.DefaultClient.Do(r); err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
	}()
	full := func() (int, string) {
		res, err := http.Post(h.URL+"/completion", "application/json", strings.NewReader(`{"prompt":"x","n_predict":1}`))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode, res.Header.Get("Retry-After")
	}
	eventually(t, "one waits", func() bool {
		_, body := ask(t, h, "GET", "/metrics", "")
		return strings.Contains(body, "vllm:num_requests_waiting 1\n")
	})
	if code, after := full(); code != 429 || after == "" {
		t.Errorf("a full queue: %d, Retry-After %q", code, after)
	}
	if code, _ := ask(t, h, "GET", "/health", ""); code != 200 {
		t.Errorf("/health of a full server: %d", code)
	}
	if code, _ := ask(t, h, "GET", "/slots?fail_on_no_slot=1", ""); code != 503 {
		t.Errorf("no slot is free: %d", code)
	}
	cancel()
	eventually(t, "room again", func() bool { code, _ := full(); return code == 200 })
}

func TestPing(t *testing.T) {
	_, h := start(t, serve.Options{Ping: time.Millisecond})
	_, body := post(t, h, "/completion", `{"prompt":"`+strings.Repeat("word ", 400)+`","n_predict":2,"stream":true,"cache_prompt":false}`)
	if all, comments := events(t, body); comments == 0 || len(all) == 0 {
		t.Errorf("%d pings among %d events", comments, len(all))
	}
}

// TestStop: at the end of the grace period open streams are told that the server stops.
func TestStop(t *testing.T) {
	s, err := serve.New(serve.Options{Grace: 20 * time.Millisecond, Shift: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Load(func() (*engine.Model, error) { return model(), nil }); err != nil {
		t.Fatal(err)
	}
	listeners, err := s.Listen()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Serve(ctx, listeners...) }()
	res := open(t, context.Background(), s.URL(listeners[0]))
	stop()
	rest, err := io.ReadAll(res.Body)
	if err != nil || !strings.Contains(string(rest), "shutting down") {
		t.Errorf("the stream ends with %.200q, %v", rest, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	s, err := serve.New(serve.Options{Hosts: []string{path}})
	if err != nil {
		t.Fatal(err)
	}
	listeners, err := s.Listen()
	if err != nil {
		t.Skip(err) // a system without Unix sockets
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the socket is there for everybody: %v, %v", info.Mode(), err)
	}
	listeners[0].Close()
}

func TestMetrics(t *testing.T) {
	_, off := start(t, serve.Options{})
	if code, _ := ask(t, off, "GET", "/metrics", ""); code != 501 {
		t.Errorf("metrics that are off: %d", code)
	}
	_, h := start(t, serve.Options{Metrics: true})
	_, before := ask(t, h, "GET", "/metrics", "")
	for _, name := range []string{"vllm:num_requests_waiting 0\n", "vllm:num_requests_running 0\n", "vllm:kv_cache_usage_perc 0\n",
		"vllm:cache_config_info{block_size=\"32\",num_gpu_blocks=\"", "llamacpp:tokens_predicted_total 0\n", "llamacpp:requests_deferred 0\n"} {
		if !strings.Contains(before, name) {
			t.Errorf("no %q from the beginning", name)
		}
	}
	post(t, h, "/completion", `{"prompt":"Hello","n_predict":5,"temperature":0,"ignore_eos":true}`)
	_, after := ask(t, h, "GET", "/metrics", "")
	for _, line := range []string{"llamacpp:tokens_predicted_total 5\n", "llamacpp:time_to_first_token_seconds_count 1\n",
		"llamacpp:inter_token_seconds_count 4\n", "llamacpp:queue_seconds_bucket{le=\"+Inf\"} 1\n", "llamacpp:requests_finished_total{reason=\"limit\"} 1\n"} {
		if !strings.Contains(after, line) {
			t.Errorf("no %q after an answer", line)
		}
	}
}

func TestStatus(t *testing.T) {
	_, h := start(t, serve.Options{Model: "demo", Aliases: []string{"x/y"}, NoSlots: true})
	_, body := ask(t, h, "GET", "/v1/models", "")
	if m := decode(t, body); at(m, "data.0.id") != "demo" || at(m, "data.0.meta.n_vocab") != 4096. || at(m, "models.0.name") != "demo" {
		t.Errorf("models: %s", body)
	}
	if code, _ := ask(t, h, "GET", "/v1/models/x/y", ""); code != 200 {
		t.Errorf("a model by its alias: %d", code)
	}
	if code, _ := ask(t, h, "GET", "/v1/models/z", ""); code != 404 {
		t.Errorf("a model that is not there: %d", code)
	}
	_, body = ask(t, h, "GET", "/props", "")
	if p := decode(t, body); at(p, "total_slots") != 4. || at(p, "endpoint_slots") != false || at(p, "default_generation_settings.params.top_k") != 20. ||
		at(p, "chat_template_caps.supports_thinking") != true {
		t.Errorf("props: %s", body)
	}
	for _, path := range []string{"/slots", "/status"} {
		if code, _ := ask(t, h, "GET", path, ""); code != 501 {
			t.Errorf("%s of a server that hides slots: %d", path, code)
		}
	}
}

// TestState: who watches from elsewhere sees who asked, what for and why it ended, and no texts.
func TestState(t *testing.T) {
	_, h := start(t, serve.Options{})
	post(t, h, "/completion", `{"prompt":"Hello there","n_predict":2,"temperature":0,"id_slot":2}`)
	_, body := ask(t, h, "GET", "/status", "")
	got := decode(t, body)
	for path, want := range map[string]any{"slots.2.task": 1., "slots.2.prompt": 2., "slots.2.answer": 2., "slots.2.stopped": "limit", "slots.2.who": "127.0.0.1",
		"slots.2.busy": false, "devices.0.layers": 6., "slots.0.task": 0.} {
		if x := at(got, path); x != want {
			t.Errorf("%s is %v, want %v", path, x, want)
		}
	}
	if total, _ := at(got, "pages.total").(float64); total == 0 || strings.Contains(body, "Hello") {
		t.Errorf("no pages, or texts: %s", body)
	}
}

// TestLog: prompts are logged when asked for, and not otherwise.
func TestLog(t *testing.T) {
	for _, texts := range []bool{false, true} {
		entries := make(chan serve.Entry, 1)
		_, h := start(t, serve.Options{LogText: texts, Log: func(e serve.Entry) { entries <- e }})
		post(t, h, "/completion", `{"prompt":"Hello","n_predict":2,"temperature":0}`)
		e := <-entries
		if len(e.Answers) != 1 || e.Status != 200 || e.Path != "/completion" || e.Answers[0].Stop != "limit" || e.Answers[0].Generated != 2 {
			t.Fatalf("entry %+v", e)
		}
		if got := fmt.Sprint(e); strings.Contains(got, "Hello") != texts {
			t.Errorf("texts %v: %s", texts, got)
		}
		post(t, h, "/v1/chat/completions", `{"messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"a secret"}}]}]}`)
		if e := <-entries; e.Status != 400 || strings.Contains(fmt.Sprint(e), "secret") {
			t.Errorf("an error: %+v", e)
		}
	}
}
