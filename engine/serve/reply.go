package serve

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"time"
	"unicode/utf8"
)

// marshal writes JSON as people type it: <, > and & stand for themselves.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}

// writeJSON answers with a JSON value.
func writeJSON(w http.ResponseWriter, code int, v any) {
	data, err := marshal(v)
	if err != nil { // a number that JSON does not know
		code, data = http.StatusInternalServerError, []byte(`{"error":{"code":500,"message":"the answer cannot be written as JSON","type":"server_error"}}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(data)
}

// readBody reads all of a request, within the limits of size and time.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(min(s.options.Timeout, maxBodyWait)))
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.options.Body))
	if err == nil { // otherwise the rest is not waited for either
		_ = control.SetReadDeadline(time.Time{})
	}
	if _, large := err.(*http.MaxBytesError); large {
		return nil, fail(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", s.options.Body)
	}
	if err != nil {
		return nil, badRequest("the body did not arrive: %v", err)
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF")) // a byte order mark, which some clients on Windows send
	if !utf8.Valid(data) {
		return nil, badRequest("the body is not UTF-8")
	}
	if loneSurrogate(data) {
		return nil, badRequest("the body has half a character: an escape \\ud800 to \\udfff without its other half")
	}
	return data, nil
}

// readObject reads a request that is a JSON object.
func (s *Server) readObject(w http.ResponseWriter, r *http.Request) (*object, error) {
	data, err := s.readBody(w, r)
	if err != nil {
		return nil, err
	}
	return parseObject("", data)
}

// newID makes a name that nobody guesses.
func newID(prefix string) string { return prefix + rand.Text() }
