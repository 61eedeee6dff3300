package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/llamakit/llamakit/engine"
)

// rig is the server's address, and what was seen there.
type rig struct {
	url    string
	model  *engine.Model
	client *http.Client

	mu              sync.Mutex
	outcomes        map[string]int
	wrong           []string
	health, metrics []time.Duration
}

// fault is what a client does: its outcome is counted, its error is the server's fault.
type fault struct {
	name string
	do   func(r *rig, ctx context.Context, random *rand.Rand) error
}

const endless = `{"prompt":"Once","n_predict":-1,"ignore_eos":true,"stream":true}`

var faults = []fault{
	{"chat", func(r *rig, ctx context.Context, random *rand.Rand) error {
		return r.post(ctx, "/v1/chat/completions", fmt.Sprintf(`{"messages":[{"role":"user","content":"What is %d + 3?"}],"max_tokens":60}`, random.IntN(90)), 200)
	}},
	{"stream", func(r *rig, ctx context.Context, random *rand.Rand) error {
		return r.post(ctx, "/v1/completions", fmt.Sprintf(`{"prompt":"%s","max_tokens":%d,"stream":true,"n":2}`, strings.Repeat("word ", 1+random.IntN(300)), 1+random.IntN(80)), 200)
	}},
	{"schema", func(r *rig, ctx context.Context, _ *rand.Rand) error {
		return r.post(ctx, "/completion", `{"prompt":"x","n_predict":40,"json_schema":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}}`, 200)
	}},
	{"embedding", func(r *rig, ctx context.Context, _ *rand.Rand) error {
		return r.post(ctx, "/v1/embeddings", `{"input":["one","two words"]}`, 200)
	}},
	{"vanish", func(r *rig, ctx context.Context, random *rand.Rand) error {
		ctx, cancel := context.WithTimeout(ctx, time.Duration(random.IntN(300))*time.Millisecond)
		defer cancel()
		return r.post(ctx, "/completion", endless, 200)
	}},
	{"endless", func(r *rig, ctx context.Context, random *rand.Rand) error {
		ctx, cancel := context.WithTimeout(ctx, time.Duration(random.IntN(5000))*time.Millisecond)
		defer cancel()
		return r.post(ctx, "/completion", endless, 200)
	}},
	{"never reads", func(r *rig, ctx context.Context, _ *rand.Rand) error {
		return r.raw(ctx, 4*time.Second, whole(endless))
	}},
	{"half a body", func(r *rig, ctx context.Context, random *rand.Rand) error {
		text := whole(endless)
		return r.raw(ctx, time.Duration(random.IntN(2000))*time.Millisecond, text[:random.IntN(len(text))])
	}},
	{"too long", func(r *rig, ctx context.Context, _ *rand.Rand) error {
		return r.post(ctx, "/completion", `{"prompt":"`+strings.Repeat("a b ", 5000)+`"}`, 400)
	}},
	{"large body", func(r *rig, ctx context.Context, random *rand.Rand) error {
		if random.IntN(20) > 0 {
			return nil
		}
		return r.post(ctx, "/v1/chat/completions", `{"messages":[{"role":"user","content":"`+strings.Repeat("many ", 2<<20)+`"}]}`, 400)
	}},
	{"no text", func(r *rig, ctx context.Context, _ *rand.Rand) error {
		return r.post(ctx, "/completion", "{\"prompt\":\"\xff\xfe\"}", 400)
	}},
	{"wrong type", func(r *rig, ctx context.Context, _ *rand.Rand) error {
		return r.post(ctx, "/completion", `{"prompt":"x","n_predict":"many"}`, 400)
	}},
}

// clients begin; wait returns when all have ended.
func (r *rig) clients(ctx context.Context, o *options) (wait func()) {
	var wg sync.WaitGroup
	for i := range o.clients {
		random := rand.New(rand.NewPCG(o.seed, uint64(i)))
		wg.Go(func() {
			for ctx.Err() == nil {
				f := faults[random.IntN(len(faults))]
				r.count(f.name, f.do(r, ctx, random))
			}
		})
	}
	return wg.Wait
}

func (r *rig) count(name string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcomes[name]++
	if err != nil {
		r.wrong = append(r.wrong, name+": "+err.Error())
	}
}

// post sends a request and reads the answer to its end. That the client went away is no fault; another status is, or a stream that
// ends before the answer does.
func (r *rig) post(ctx context.Context, path, body string, status int) error {
	request, err := http.NewRequestWithContext(ctx, "POST", r.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	res, err := r.client.Do(request)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	switch stopping := res.StatusCode == http.StatusServiceUnavailable || res.StatusCode == http.StatusTooManyRequests; {
	case ctx.Err() != nil, err == nil && stopping:
		return nil
	case err != nil:
		return err
	case res.StatusCode != status:
		return fmt.Errorf("status %d, want %d: %.300s", res.StatusCode, status, data)
	case strings.Contains(body, `"stream":true`) && !ended(string(data)):
		return fmt.Errorf("the stream ends with %q", data[max(0, len(data)-200):])
	}
	return nil
}

// ended says whether the last event of a stream closes it.
func ended(text string) bool {
	last := text[strings.LastIndex(strings.TrimRight(text, "\n"), "\n")+1:]
	return strings.Contains(last, "[DONE]") || strings.Contains(last, `"stop":true`) || strings.Contains(last, `"error"`)
}

// whole is a request as it goes over the wire.
func whole(body string) string {
	return fmt.Sprintf("POST /completion HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// raw sends bytes, and then does nothing for a while.
func (r *rig) raw(ctx context.Context, idle time.Duration, text string) error {
	c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.(*net.TCPConn).SetReadBuffer(4096)
	if _, err := io.WriteString(c, text); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
	case <-time.After(idle):
	}
	return nil
}

// term stops the server while streams are open, and looks how they end.
func (r *rig) term(stop func(), served <-chan error, clients int) error {
	var begun, ending sync.WaitGroup
	lost := make(chan error, clients)
	for range clients {
		begun.Add(1)
		ending.Go(func() { lost <- r.untilEnd(&begun) })
	}
	begun.Wait()
	begin := time.Now()
	stop()
	ending.Wait()
	err := <-served
	for range clients {
		err = errors.Join(err, <-lost)
	}
	fmt.Printf("stopped under %d streams in %.1f s\n", clients, time.Since(begin).Seconds())
	return err
}

// untilEnd opens a stream without an end and reads until the server ends it.
func (r *rig) untilEnd(begun *sync.WaitGroup) error {
	res, err := r.client.Post(r.url+"/completion", "application/json", strings.NewReader(endless))
	begun.Done()
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var last string
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		if lines.Text() != "" {
			last = lines.Text()
		}
	}
	if err := lines.Err(); err != nil || !ended(last) {
		return fmt.Errorf("a stream was lost: it ends with %.200q, %v", last, err)
	}
	return nil
}
