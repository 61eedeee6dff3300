package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/chat/jinja"
	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/sched"
)

// failure is an error with the status that it is answered with.
type failure struct {
	code    int
	kind    string
	message string
	tooLong *engine.TooLong // numbers of a prompt that is too long
}

func (f *failure) Error() string { return f.message }

// kinds are the types of error objects.
var kinds = map[int]string{
	http.StatusBadRequest: "invalid_request_error", http.StatusUnauthorized: "authentication_error",
	http.StatusForbidden: "permission_error", http.StatusNotFound: "not_found_error",
	http.StatusMethodNotAllowed: "invalid_request_error", http.StatusRequestEntityTooLarge: "invalid_request_error",
	http.StatusTooManyRequests: "rate_limit_error", http.StatusInternalServerError: "server_error",
	http.StatusNotImplemented: "not_supported_error", http.StatusServiceUnavailable: "unavailable_error",
}

func fail(code int, format string, args ...any) *failure {
	return &failure{code: code, kind: kinds[code], message: fmt.Sprintf(format, args...)}
}

func badRequest(format string, args ...any) *failure {
	return fail(http.StatusBadRequest, format, args...)
}

func unsupported(format string, args ...any) *failure {
	return fail(http.StatusNotImplemented, format, args...)
}

// refused is the failure for an error of preparing a request: the request is to blame.
func refused(err error) error {
	var f *failure
	var long *engine.TooLong
	var fault *jinja.Error
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &long):
		return &failure{code: http.StatusBadRequest, kind: "exceed_context_size_error", message: err.Error(), tooLong: long}
	case errors.As(err, &fault) && !errors.As(err, new(*chat.Refusal)) && fault.Kind == jinja.SyntaxError:
		return badRequest("the model's chat template is broken: %v", err)
	case errors.Is(err, engine.ErrNotCausal):
		return unsupported("%v", err)
	}
	return badRequest("%v", err)
}

// broken is the failure for an error of running a request.
func broken(err error) *failure {
	var f *failure
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, grammar.ErrTooComplex), errors.Is(err, engine.ErrNoWay):
		return badRequest("%v", err)
	case errors.Is(err, sched.ErrClosed), errors.Is(err, errStopping):
		return fail(http.StatusServiceUnavailable, "the server is shutting down")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fail(http.StatusServiceUnavailable, "the request was cancelled")
	}
	return fail(http.StatusInternalServerError, "%v", err)
}

// object is the error object of llama.cpp and OpenAI.
func (f *failure) object() any {
	type object struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Type    string `json:"type"`
		Prompt  int    `json:"n_prompt_tokens,omitempty"`
		Context int    `json:"n_ctx,omitempty"`
	}
	o := object{Code: f.code, Message: f.message, Type: f.kind}
	if f.tooLong != nil {
		o.Prompt, o.Context = f.tooLong.Tokens, f.tooLong.Context
	}
	return map[string]any{"error": o}
}

// anthropicObject is the error object of the messages API.
func (f *failure) anthropicObject() any {
	kind := f.kind
	switch f.code {
	case http.StatusBadRequest:
		kind = "invalid_request_error"
	case http.StatusRequestEntityTooLarge:
		kind = "request_too_large"
	case http.StatusServiceUnavailable:
		kind = "overloaded_error"
	case http.StatusInternalServerError, http.StatusNotImplemented:
		kind = "api_error"
	}
	return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": f.message}}
}

// writeError answers with an error, in the shape of the API that was asked.
func (s *Server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	f := broken(err)
	if sent, ok := w.(*statusRecorder); ok && sent.status != 0 {
		return // the answer has begun
	}
	if f.code == http.StatusTooManyRequests || f.code == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	if e := entryOf(r); e != nil {
		e.Error = f.message
	}
	if isAnthropic(r) {
		writeJSON(w, f.code, f.anthropicObject())
		return
	}
	writeJSON(w, f.code, f.object())
}

func isAnthropic(r *http.Request) bool { return strings.Contains(r.URL.Path, "/v1/messages") }
