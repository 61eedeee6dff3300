package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/serve"
)

// fields are what /completion reads; of each some wrong types are tried.
const fields = `prompt seed temperature dynatemp_range dynatemp_exponent top_k top_p min_p top_n_sigma xtc_probability xtc_threshold typical_p
	repeat_last_n repeat_penalty presence_penalty frequency_penalty dry_multiplier dry_base dry_allowed_length dry_penalty_last_n
	dry_sequence_breakers mirostat mirostat_tau mirostat_eta adaptive_target adaptive_decay min_keep samplers logit_bias stop n_probs
	post_sampling_probs n_predict max_tokens max_completion_tokens ignore_eos n_keep cache_prompt id_slot n n_cmpl stream stream_options
	timings_per_token return_tokens return_progress response_fields t_max_predict_ms n_indent lora grammar json_schema response_format
	messages functions function_call tools tool_choice parallel_tool_calls logprobs top_logprobs chat_template_kwargs reasoning_format add_generation_prompt
	input instructions system max_output_tokens stop_sequences thinking metadata input_prefix input_suffix input_extra content tokens
	query documents top_n filename encoding_format echo suffix best_of user model store`

// TestWrongTypes: whatever is in a field, no endpoint breaks: it answers, or says what is wrong.
func TestWrongTypes(t *testing.T) {
	s, err := serve.New(serve.Options{Metrics: true, Props: true, SlotPath: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Load(func() (*engine.Model, error) { return model(), nil }); err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{
		"/completion": `"prompt":"x","n_predict":1`, "/v1/completions": `"prompt":"x","max_tokens":1`, "/infill": `"input_prefix":"x","n_predict":1`,
		"/v1/chat/completions": hello + `,"max_tokens":1`, "/v1/responses": `"input":"x","max_output_tokens":1`, "/v1/messages": hello + `,"max_tokens":1`,
		"/v1/embeddings": `"input":"x"`, "/tokenize": `"content":"x"`, "/detokenize": `"tokens":[1]`, "/v1/rerank": `"query":"x","documents":["y"]`,
		"/slots/0?action=save": `"filename":"x"`, "/props": ``,
	}
	for path, body := range bodies {
		var good map[string]json.RawMessage
		if err := json.Unmarshal([]byte("{"+body+"}"), &good); err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Fields(fields) {
			for _, value := range []string{`null`, `true`, `-1.5`, `1e300`, `"é"`, `[]`, `[[null]]`, `{"a":{}}`} {
				fuzzed := map[string]json.RawMessage{}
				for k, v := range good {
					fuzzed[k] = v
				}
				fuzzed[name] = json.RawMessage(value)
				data, _ := json.Marshal(fuzzed)
				r := httptest.NewRequest("POST", path, strings.NewReader(string(data)))
				r.Host = "localhost"
				w := httptest.NewRecorder()
				s.ServeHTTP(w, r)
				if w.Code >= 500 && w.Code != 501 {
					t.Errorf("%s %s: %d %.300s", path, data, w.Code, w.Body)
				}
			}
		}
	}
}

// raw sends bytes over a connection of its own.
func raw(t *testing.T, h *httptest.Server, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", h.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.(*net.TCPConn).SetReadBuffer(4096) // what nobody reads soon fills it
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestHalfSent: a body that ends early is refused, one that stands still is cut off, and others are answered meanwhile.
func TestHalfSent(t *testing.T) {
	_, h := start(t, serve.Options{Timeout: 300 * time.Millisecond})
	const head = "POST /completion HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{\"prompt\":"
	for range 20 {
		raw(t, h, head).Close()
		raw(t, h, "POST /completion HTTP/1.1\r\nHost: loc").Close()
	}
	still := raw(t, h, head)
	if code, body := post(t, h, "/completion", `{"prompt":"x","n_predict":1}`); code != 200 {
		t.Errorf("meanwhile: %d %s", code, body)
	}
	if answer, err := io.ReadAll(still); err != nil || !strings.Contains(string(answer), "400 Bad Request") || !strings.Contains(string(answer), "did not arrive") {
		t.Errorf("half a body: %q, %v", answer, err)
	}
}

const maxPieces = 1 << 20

// TestLargeBodies: what is within the limit is looked at, what is beyond is not.
func TestLargeBodies(t *testing.T) {
	_, h := start(t, serve.Options{})
	large := strings.Repeat("many words ", 1<<20) // 11 MB
	for _, c := range []struct {
		path, body string
		code       int
		words      string
	}{
		{"/v1/chat/completions", `{"messages":[{"role":"user","content":"` + large + `"}]}`, 400, "the context holds 512"},
		{"/completion", `{"prompt":[1,"` + large + `"]}`, 400, "more than"},
		{"/completion", `{"prompt":[` + strings.Repeat("1,", maxPieces) + `1]}`, 400, "more than 1048576 elements"},
		{"/detokenize", `{"tokens":[` + strings.Repeat("1,", maxPieces) + `1]}`, 400, "more than 1048576 elements"},
		{"/completion", `{"prompt":"` + large + large + large + large + `"}`, 413, "larger than"},
	} {
		if code, body := post(t, h, c.path, c.body); code != c.code || !strings.Contains(body[max(0, len(body)-1000):], c.words) {
			t.Errorf("%s with %d bytes: %d %.300s", c.path, len(c.body), code, body)
		}
	}
}

// TestStalledReader: a stream that nobody reads gives its slot to others, and is cut with a reason when nothing is read for long.
func TestStalledReader(t *testing.T) {
	entries := make(chan serve.Entry, 100)
	s, err := serve.New(serve.Options{Shift: true, Timeout: 2 * time.Second, Log: func(e serve.Entry) { entries <- e }})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Load(func() (*engine.Model, error) { return model(), nil }); err != nil {
		t.Fatal(err)
	}
	h := httptest.NewUnstartedServer(s)
	h.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		_ = c.(*net.TCPConn).SetWriteBuffer(4096)
		return ctx
	}
	h.Start()
	defer h.Close()
	for range 4 {
		raw(t, h, fmt.Sprintf("POST /completion HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(endless), endless))
	}
	if code, body := post(t, h, "/completion", `{"prompt":"x","n_predict":1}`); code != 200 {
		t.Errorf("beside four that do not read: %d %s", code, body)
	}
	cut := 0
	for range 5 {
		if e := <-entries; strings.Contains(e.Error, "has read nothing for 2s") {
			cut++
		}
	}
	if cut != 4 {
		t.Errorf("%d of 4 were cut", cut)
	}
}

// TestManyConnections: a thousand clients at once are all answered, each with what it asked for or a refusal that says when to come again.
func TestManyConnections(t *testing.T) {
	_, h := start(t, serve.Options{Queue: 900})
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	codes := make(chan int, 1000)
	for i := range cap(codes) {
		go func() {
			res, err := client.Post(h.URL+"/completion", "application/json", strings.NewReader(fmt.Sprintf(`{"prompt":"%d","n_predict":1}`, i%50)))
			if err != nil {
				codes <- 0
				return
			}
			defer res.Body.Close()
			if _, err = io.Copy(io.Discard, res.Body); err != nil || res.StatusCode == 429 && res.Header.Get("Retry-After") == "" {
				codes <- 0
				return
			}
			codes <- res.StatusCode
		}()
	}
	count := map[int]int{}
	for range cap(codes) {
		count[<-codes]++
	}
	if count[200] < 904 || count[200]+count[429] != cap(codes) {
		t.Errorf("answers by status: %v", count)
	}
}

// TestStopUnderLoad: when the server stops, all that run and all that wait are told so; what can finish in time does.
func TestStopUnderLoad(t *testing.T) {
	s, err := serve.New(serve.Options{Grace: 300 * time.Millisecond, Shift: true})
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
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, listeners...) }()
	url := s.URL(listeners[0])
	ends := make(chan string, 12)
	for i := range cap(ends) {
		body := endless
		if i%3 == 0 { // not streamed
			body = strings.Replace(endless, `"stream":true`, `"stream":false`, 1)
		}
		go func() {
			res, err := http.Post(url+"/completion", "application/json", strings.NewReader(body))
			if err != nil {
				ends <- err.Error()
				return
			}
			defer res.Body.Close()
			data, err := io.ReadAll(res.Body)
			ends <- fmt.Sprintf("%d %s %v", res.StatusCode, data[max(0, len(data)-200):], err)
		}()
	}
	eventually(t, "all are there", func() bool { return len(s.State().Slots) == 4 && s.State().Waiting == 8 })
	stop()
	for range cap(ends) {
		if end := <-ends; !strings.Contains(end, "shutting down") {
			t.Errorf("an answer ends with %s", end)
		}
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	if res, err := http.Get(url + "/health"); err == nil {
		res.Body.Close()
		t.Errorf("afterwards: %d", res.StatusCode)
	}
}
