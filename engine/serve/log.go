package serve

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Entry is what is logged of a request.
type Entry struct {
	Time    time.Time     `json:"time"`
	Client  string        `json:"client"`
	Method  string        `json:"method"`
	Path    string        `json:"path"`
	Status  int           `json:"status"`
	Took    time.Duration `json:"-"`
	Seconds float64       `json:"seconds"`
	Error   string        `json:"error,omitempty"`
	Stack   string        `json:"stack,omitempty"` // of a panic
	Answers []Answer      `json:"answers,omitempty"`
}

// Answer is what is logged of a generated answer.
type Answer struct {
	Slot      int     `json:"slot"`
	Prompt    int     `json:"prompt_tokens"`
	Cached    int     `json:"cached_tokens"`
	Generated int     `json:"generated_tokens"`
	Stop      string  `json:"stop"`
	Queue     float64 `json:"queue_seconds"`
	First     float64 `json:"first_token_seconds"`
	Text      string  `json:"prompt,omitempty"` // with Options.LogText
	Output    string  `json:"output,omitempty"`
}

type entryKey struct{}

// entryOf is the entry of the request that a handler works on, or nil.
func entryOf(r *http.Request) *Entry {
	e, _ := r.Context().Value(entryKey{}).(*Entry)
	return e
}

// logged makes an entry of each request.
func (s *Server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e := &Entry{Time: time.Now(), Client: clientOf(r), Method: r.Method, Path: r.URL.Path}
		recorder := &statusRecorder{ResponseWriter: w}
		next.ServeHTTP(recorder, r.WithContext(context.WithValue(r.Context(), entryKey{}, e)))
		e.Status, e.Took = recorder.status, time.Since(e.Time)
		e.Seconds = e.Took.Seconds()
		if s.options.Log != nil {
			_ = http.NewResponseController(w).Flush() // no client waits for the log
			s.options.Log(*e)
		}
	})
}

// clientOf is the address of who asks; "local" through a Unix socket.
func clientOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return "local"
	}
	return host
}

// statusRecorder remembers the status that was answered.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (r *statusRecorder) WriteHeader(code int) {
	if r.status == 0 {
		r.status = code
		r.ResponseWriter.WriteHeader(code)
	}
}

func (r *statusRecorder) Write(data []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.ResponseWriter.Write(data)
}

// Unwrap lets http.ResponseController find the connection.
func (r *statusRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
