package serve

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"
)

// stream writes server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). When nothing was sent
// for a while it sends a ping, so that proxies keep the connection and the client knows that somebody is there.
type stream struct {
	control *http.ResponseController
	w       http.ResponseWriter
	timeout time.Duration // of a write: a reader that takes nothing is gone
	every   time.Duration
	ping    string

	mu    sync.Mutex
	timer *time.Timer
	err   error // of a write; all further ones fail too
}

// commentPing is a comment, which clients skip.
const commentPing = ": ping\n\n"

// newStream sends the headers.
func (s *Server) newStream(w http.ResponseWriter, ping string) *stream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	t := &stream{control: http.NewResponseController(w), w: w, timeout: min(s.options.Timeout, maxReadWait), every: s.options.Ping, ping: ping}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush()
	if t.every > 0 {
		t.timer = time.AfterFunc(t.every, func() { _ = t.write(t.ping) })
	}
	return t
}

// data sends an event without a name.
func (t *stream) data(v any) error {
	data, err := marshal(v)
	if err != nil {
		return err
	}
	return t.write("data: " + string(data) + "\n\n")
}

// event sends an event with a name.
func (t *stream) event(name string, v any) error {
	data, err := marshal(v)
	if err != nil {
		return err
	}
	return t.write("event: " + name + "\ndata: " + string(data) + "\n\n")
}

// done ends a stream as OpenAI does.
func (t *stream) done() error { return t.write("data: [DONE]\n\n") }

func (t *stream) write(text string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return t.err
	}
	_ = t.control.SetWriteDeadline(time.Now().Add(t.timeout))
	if _, t.err = t.w.Write([]byte(text)); t.err == nil {
		t.flush()
	}
	if errors.Is(t.err, os.ErrDeadlineExceeded) {
		t.err = fmt.Errorf("the client has read nothing for %v", t.timeout)
	}
	if t.timer != nil && t.err == nil {
		t.timer.Reset(t.every)
	}
	return t.err
}

func (t *stream) flush() {
	if err := t.control.Flush(); err != nil && t.err == nil {
		t.err = err
	}
}

// failed ends a stream that broke with an error event, if anybody is there to read it.
func (t *stream) failed(err error, send func(*failure) error) error {
	if err != nil {
		_ = send(broken(err))
	}
	return nil
}

// close must be called before the handler returns: a ping after that would write to another's connection.
func (t *stream) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
	}
	if t.err == nil {
		t.err = http.ErrHandlerTimeout
		_ = t.control.SetWriteDeadline(time.Time{})
	}
}
