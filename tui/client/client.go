// Package client speaks HTTP with a llama-server, this project's or llama.cpp's, or with another server of their APIs.
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// ErrMissing is wrapped by the error of what a server does not offer.
var ErrMissing = errors.New("not offered here")

// MaxAnswer bounds what is read of an answer that is not streamed, and a line of one that is, in bytes.
const MaxAnswer = 64 << 20

// Client asks one server.
type Client struct {
	URL string // without a slash at its end
	key string
}

// New makes a client of an address, such as 127.0.0.1:9931 or http://host/v1, and an API key, "" for none. It asks nothing yet.
func New(address, key string) (*Client, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s is not an address such as http://127.0.0.1:9931", address)
	}
	return &Client{strings.TrimSuffix(strings.TrimSuffix(address, "/"), "/v1"), key}, nil
}

// Send posts a body, or gets without one. An answer that is not 200 is an error; the body of one that is must be closed.
func (c *Client) Send(ctx context.Context, path string, body any) (*http.Response, error) {
	method, in := http.MethodGet, io.Reader(nil)
	if body != nil {
		data, err := Encode(body)
		if err != nil {
			return nil, err
		}
		method, in = http.MethodPost, bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.URL+path, in)
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	r.Header["Idempotency-Key"] = nil // not sent: asking twice does no harm, so net/http may where a kept connection was just closed
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), c.unreached(err))
	}
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	defer answer.Body.Close()
	return nil, c.refusal(path, answer)
}

// unreached is the error of a request without an answer, without the method and path that net/http puts before it.
func (c *Client) unreached(err error) error {
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return fmt.Errorf("no answer from %s: %w", c.URL, err)
}

// refusal is the error of an answer that is not 200.
func (c *Client) refusal(path string, answer *http.Response) error {
	data, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<20)) // what came explains as far as it can
	switch answer.StatusCode {
	case http.StatusNotFound, http.StatusNotImplemented, http.StatusMethodNotAllowed:
		return fmt.Errorf("%s%s: %w", c.URL, path, ErrMissing)
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%s wants an API key (--api-key)", c.URL)
	}
	if text := ErrorText(data); text != "" {
		return fmt.Errorf("%s: %s", c.URL, text)
	}
	return fmt.Errorf("%s%s answers %s", c.URL, path, answer.Status)
}

// ErrorText is the message of an error object; "" for what is none.
func ErrorText(data []byte) string {
	var e struct{ Error json.RawMessage }
	if json.Unmarshal(data, &e) != nil || e.Error == nil {
		return ""
	}
	var inner struct{ Message string }
	if json.Unmarshal(e.Error, &inner) == nil && inner.Message != "" {
		return inner.Message
	}
	return string(e.Error)
}

// Read is Send and all of the answer.
func (c *Client) Read(ctx context.Context, path string, body any) ([]byte, error) {
	answer, err := c.Send(ctx, path, body)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, MaxAnswer))
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", c.URL, path, err)
	}
	return data, nil
}

// Call is Read of JSON.
func (c *Client) Call(ctx context.Context, path string, body, to any) error {
	data, err := c.Read(ctx, path, body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%s%s answers what is not JSON: %w", c.URL, path, err)
	}
	return nil
}

// Encode writes JSON with <, > and & as they are.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
