package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/llamakit/llamakit/formats/gguf"
)

// Kinds of errors, beside those of package gguf and of net/http.
var (
	// ErrNoRanges is of a server that does not answer range requests.
	ErrNoRanges = errors.New("no range requests")
	// ErrDenied is of a file that the server gives only to some (status 401 or 403).
	ErrDenied = errors.New("access denied")
	// ErrChanged is of a file that was replaced while it was read.
	ErrChanged = errors.New("file changed")
)

const (
	timeout      = time.Minute
	maxRedirects = 10
)

// client sends the requests of one Open.
type client struct {
	ctx   context.Context
	http  *http.Client
	hub   *url.URL
	token string // for hub
}

func newClient(ctx context.Context, hub *url.URL, token string) *client {
	return &client{ctx: ctx, hub: hub, token: token, http: &http.Client{Timeout: timeout, CheckRedirect: checkRedirect}}
}

// checkRedirect follows a redirection, but not out of encryption. (The library takes Authorization off requests to other
// hosts.)
func checkRedirect(req *http.Request, via []*http.Request) error {
	switch {
	case len(via) >= maxRedirects:
		return fmt.Errorf("more than %d redirections", maxRedirects)
	case req.URL.Scheme != "https" && via[0].URL.Scheme == "https":
		return errors.New("redirected from https to " + gguf.Printable(req.URL.Scheme))
	}
	return nil
}

// span is an answer: bytes from off on, of a file of size bytes.
type span struct {
	data []byte
	size int64
	etag string
}

// get reads n bytes from off on, fewer at the end of the file.
func (c *client) get(u *url.URL, off, n int64) (*span, error) {
	req, err := http.NewRequestWithContext(c.ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", off, off+n-1))
	req.Header.Set("User-Agent", "llamakit")
	if c.token != "" && u.Scheme == c.hub.Scheme && u.Host == c.hub.Host {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, unwrapped(err)
	}
	defer resp.Body.Close()
	if err := c.checkStatus(resp); err != nil {
		return nil, err
	}
	return read(resp, off, n)
}

// unwrapped leaves the address out of an error of net/http: it may hold a secret, and the caller names the file.
func unwrapped(err error) error {
	if e := (*url.Error)(nil); errors.As(err, &e) {
		if e.Timeout() && !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("no answer within %v: %w", timeout, e.Err)
		}
		return e.Err
	}
	return err
}

// checkStatus says what an answer other than 206 means.
func (c *client) checkStatus(resp *http.Response) error {
	switch status := resp.StatusCode; {
	case status == http.StatusPartialContent, status == http.StatusRequestedRangeNotSatisfiable:
		return nil
	case status == http.StatusOK && resp.ContentLength == 0: // how Go's server answers for an empty file
		return nil
	case status == http.StatusOK:
		return fmt.Errorf("%w: the server sends the whole file when it is asked for a part of it (download it)", ErrNoRanges)
	case status == http.StatusNotFound || status == http.StatusGone:
		return fmt.Errorf("%w: the server has no such file (status %d); look at owner, name and revision", gguf.ErrNotFound, status)
	case (status == http.StatusUnauthorized || status == http.StatusForbidden) && c.token == "":
		return fmt.Errorf("%w: status %d: a gated or private file, or none of that name (set HF_TOKEN to a token that may read it)", ErrDenied, status)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fmt.Errorf("%w: status %d: the token in HF_TOKEN may not read this file, or there is none of that name", ErrDenied, status)
	}
	return fmt.Errorf("the server answers %s", gguf.Printable(resp.Status))
}

// read takes the answer to a request for n bytes from off on, and no more than these.
func read(resp *http.Response, off, n int64) (*span, error) {
	if resp.StatusCode == http.StatusOK {
		return &span{etag: resp.Header.Get("ETag")}, nil
	}
	first, size, ok := contentRange(resp.Header.Get("Content-Range"))
	if resp.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		if !ok || first >= 0 || off < size {
			return nil, fmt.Errorf("%w: the server refuses bytes from %d on", ErrNoRanges, off)
		}
		return &span{size: size, etag: resp.Header.Get("ETag")}, nil
	}
	if !ok || first != off {
		return nil, fmt.Errorf("%w: the server answers with %q when it is asked for bytes from %d on", ErrNoRanges, resp.Header.Get("Content-Range"), off)
	}
	data := make([]byte, max(0, min(n, size-off)))
	if _, err := io.ReadFull(resp.Body, data); err != nil {
		return nil, fmt.Errorf("the answer of %d bytes ends too soon: %w", len(data), err)
	}
	return &span{data: data, size: size, etag: resp.Header.Get("ETag")}, nil
}

// contentRange reads "bytes 0-99/1000"; first is -1 for "bytes */1000".
func contentRange(text string) (first, size int64, ok bool) {
	part, total, ok := strings.Cut(strings.TrimPrefix(text, "bytes "), "/")
	size, err := strconv.ParseInt(total, 10, 64)
	if !ok || err != nil || size < 0 {
		return 0, 0, false
	}
	if part == "*" {
		return -1, size, true
	}
	begin, _, ok := strings.Cut(part, "-")
	first, err = strconv.ParseInt(begin, 10, 64)
	return first, size, ok && err == nil && first >= 0 && first < size
}
