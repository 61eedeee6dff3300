package serve

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
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

const jsonType = "application/json; charset=utf-8"

// writeJSON answers with a JSON value.
func writeJSON(w http.ResponseWriter, code int, v any) {
	data, err := marshal(v)
	if err != nil { // a number that JSON does not know
		code, data = http.StatusInternalServerError, []byte(`{"error":{"code":500,"message":"the answer cannot be written as JSON","type":"server_error"}}`)
	}
	w.Header().Set("Content-Type", jsonType)
	send(w, code, data)
}

// send answers with a body whose length the client is told, so that it has all of it when it is written.
func send(w http.ResponseWriter, code int, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	_, _ = patient{w}.Write(body)
}

// patient writes an answer that is not a stream. A reader that takes nothing for a while is gone, and what the answer holds is free.
type patient struct{ http.ResponseWriter }

const patientPiece = 1 << 20

func (p patient) Write(data []byte) (n int, err error) {
	control := http.NewResponseController(p.ResponseWriter)
	for piece := range slices.Chunk(data, patientPiece) {
		_ = control.SetWriteDeadline(time.Now().Add(maxReadWait))
		written, err := p.ResponseWriter.Write(piece)
		if n += written; err != nil {
			return n, err
		}
	}
	return n, nil
}

// readBody reads all of a request, within the limits of size and time, when it is its turn.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	size := r.ContentLength
	if size < 0 { // unknown
		size = s.options.Body
	}
	tooLarge := fail(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", s.options.Body)
	if size > s.options.Body {
		return nil, tooLarge
	}
	if err := s.enter(r, size); err != nil {
		return nil, err
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(min(s.options.Timeout, maxBodyWait)))
	var body bytes.Buffer
	body.Grow(int(max(r.ContentLength, 0)) + bytes.MinRead)
	_, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, s.options.Body))
	if err == nil { // otherwise the rest is not waited for either
		_ = control.SetReadDeadline(time.Time{})
	}
	if _, large := err.(*http.MaxBytesError); large {
		return nil, tooLarge
	}
	if err != nil {
		return nil, badRequest("the body did not arrive: %v", err)
	}
	data := bytes.TrimPrefix(body.Bytes(), []byte("\uFEFF")) // a byte order mark, which some clients on Windows send
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
