package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// rows is how many rows of 1,024 values the large tensor has; its data is some 40 MB.
const rows = 10_000

// model is a file with a vocabulary of 2 MB and far more data.
func model(t testing.TB) []byte {
	t.Helper()
	md := gguf.NewMetadata()
	md.Set("general.architecture", gguf.String("llama"))
	tokens := make([]string, 100_000)
	for i := range tokens {
		tokens[i] = fmt.Sprintf("token %06d", i)
	}
	md.Set("tokenizer.ggml.tokens", gguf.Strings(tokens))
	var buf bytes.Buffer
	w, err := gguf.NewWriter(&buf, md, []gguf.TensorInfo{{Name: "big", Type: quant.F32, Shape: []int{1024, rows}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteTensor(bytes.Repeat([]byte{0, 0, 0x80, 0x3f}, 1024*rows)); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// serve answers for one file as Go's file server does, and counts the bytes of the answers.
func serve(t testing.TB, data []byte) (address string, sent *atomic.Int64) {
	t.Helper()
	sent = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(counter{w, sent}, r, "model.gguf", time.Time{}, bytes.NewReader(data))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/folder/model.gguf", sent
}

type counter struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (c counter) Write(p []byte) (int, error) {
	c.sent.Add(int64(len(p)))
	return c.ResponseWriter.Write(p)
}

func TestOpen(t *testing.T) {
	address, sent := serve(t, model(t))
	f, err := Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, _ := f.Metadata.Get("tokenizer.ggml.tokens")
	if v.Len() != 100_000 || v.Index(99_999).Any() != "token 099999" {
		t.Error("the tokens are wrong")
	}
	if n := sent.Load(); n > 4<<20 {
		t.Errorf("%d bytes came for a header of 2 MB", n)
	}
	row := make([]byte, 4096)
	for i := range int64(100) {
		if err := f.ReadTensor(&f.Tensors[0], row, (rows-100+i)*4096); err != nil || row[3] != 0x3f {
			t.Fatalf("%v", err)
		}
	}
	if n := sent.Load(); n > 6<<20 {
		t.Errorf("%d bytes came for a header of 2 MB and 100 rows", n)
	}
}

// TestHub pins the addresses of Hugging Face, and who gets the token.
func TestHub(t *testing.T) {
	data := model(t)
	var stray string
	cdn := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stray += r.Header.Get("Authorization")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}))
	defer cdn.Close()
	var asked string
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.EscapedPath()
		if r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		http.Redirect(w, r, strings.Replace(cdn.URL, "127.0.0.1", "localhost", 1)+"/blob", http.StatusFound)
	}))
	defer hub.Close()
	t.Setenv("HF_ENDPOINT", hub.URL)
	t.Setenv("HF_TOKEN", "")
	if _, err := Open(t.Context(), "hf://o/r/m.gguf"); !errors.Is(err, ErrDenied) || !strings.Contains(err.Error(), "HF_TOKEN") {
		t.Errorf("without a token: %v", err)
	}
	t.Setenv("HF_TOKEN", "secret")
	for address, want := range map[string]string{
		"hf://o/r/m.gguf":              "/o/r/resolve/main/m.gguf",
		"hf://o/r@v1/sub dir/m?.gguf":  "/o/r/resolve/v1/sub%20dir/m%3F.gguf",
		hub.URL + "/any/m%20n.gguf?q=": "/any/m%20n.gguf",
	} {
		f, err := Open(t.Context(), address)
		if err != nil || asked != want {
			t.Errorf("%s: asked for %s, want %s (%v)", address, asked, want, err)
			continue
		}
		f.Close()
	}
	if stray != "" {
		t.Errorf("the token went to another server: %q", stray)
	}
}

// TestShards opens a set from its second file; the query goes to each.
func TestShards(t *testing.T) {
	files := map[string][]byte{}
	for no := range 2 {
		md := gguf.NewMetadata()
		md.Set("split.no", gguf.Uint16(uint16(no)))
		md.Set("split.count", gguf.Uint16(2))
		var buf bytes.Buffer
		if _, err := gguf.NewWriter(&buf, md, []gguf.TensorInfo{{Name: fmt.Sprint(no), Type: quant.F32, Shape: []int{0}}}); err != nil {
			t.Fatal(err)
		}
		files[fmt.Sprintf("/my model-%05d-of-00002.gguf", no+1)] = buf.Bytes()
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, ok := files[r.URL.Path]
		if !ok || r.URL.RawQuery != "key=1" {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}))
	defer s.Close()
	address := s.URL + "/my%20model-00002-of-00002.gguf?key=1"
	f, err := Open(t.Context(), address)
	if err != nil || len(f.Tensors) != 2 || len(f.Sizes()) != 2 {
		t.Fatalf("%v", err)
	}
	delete(files, "/my model-00001-of-00002.gguf")
	if _, err := Open(t.Context(), address); !errors.Is(err, gguf.ErrNotFound) || strings.Contains(err.Error(), "key=1") || !strings.Contains(err.Error(), "00001-of-00002") {
		t.Errorf("a shard is missing: %v", err)
	}
}

// TestBadServers pins what is said of servers that do not do their part.
func TestBadServers(t *testing.T) {
	data := model(t)
	partial := func(header string, body []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", header)
			w.WriteHeader(http.StatusPartialContent)
			w.Write(body)
		}
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "\x1b[2Jno", code) }
	}
	asked := 0
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		kind    error
		want    string
	}{
		{"no ranges", func(w http.ResponseWriter, _ *http.Request) { w.Write(data) }, ErrNoRanges, "whole file"},
		{"not there", status(404), gguf.ErrNotFound, "404"},
		{"not allowed", status(403), ErrDenied, "HF_TOKEN"},
		{"broken", status(500), nil, "500"},
		{"other range", partial("bytes 5-9/10", data[:5]), ErrNoRanges, "from 0 on"},
		{"unknown size", partial("bytes 0-9/*", data[:10]), ErrNoRanges, "from 0 on"},
		{"no header", partial("", data[:10]), ErrNoRanges, "from 0 on"},
		{"short", partial(fmt.Sprintf("bytes 0-9/%d", len(data)), data[:10]), nil, "too soon"},
		{"lies about its size", partial("bytes 0-99999999/9000000000000000000", data), nil, ""},
		{"empty", func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(nil))
		}, nil, "empty"},
		{"a page", func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader("<!DOCTYPE html>"))
		}, gguf.ErrCorrupt, "HTML page"},
		{"changes", func(w http.ResponseWriter, r *http.Request) {
			asked++
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data[:len(data)-asked]))
		}, ErrChanged, "changed"},
		{"circles", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, nil, "redirections"},
	} {
		s := httptest.NewServer(c.handler)
		_, err := Open(t.Context(), s.URL+"/m.gguf")
		s.Close()
		if err == nil || c.kind != nil && !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), s.URL+"/m.gguf: ") {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%s: control characters in %q", c.name, err)
		}
	}
}

func TestAddresses(t *testing.T) {
	for _, address := range []string{"hf://", "hf://o", "hf://o/r", "hf://o/r/", "hf://o//m", "hf://o/../m", "http://", "https://host", "https://host/", "http://h/\x01"} {
		if !Is(address) {
			t.Errorf("%q is no address", address)
		}
		if _, err := Open(t.Context(), address); err == nil || strings.ContainsAny(err.Error(), "\x01\n") {
			t.Errorf("%q: %v", address, err)
		}
	}
	for _, path := range []string{"m.gguf", "C:\\m.gguf", "/a//b", "ftp://h/m", "hf:/o/r/m"} {
		if Is(path) {
			t.Errorf("%q is an address", path)
		}
	}
	t.Setenv("HF_ENDPOINT", "nonsense")
	if _, err := Open(t.Context(), "hf://o/r/m"); err == nil || !strings.Contains(err.Error(), "HF_ENDPOINT") {
		t.Errorf("%v", err)
	}
	if got := plain("https://user:pw@h/m.gguf?sig=1#x"); got != "https://h/m.gguf" {
		t.Error(got)
	}
}

// TestStops pins that a server that does not answer holds nobody whose context ends.
func TestStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	defer s.Close()
	if _, err := Open(ctx, s.URL+"/m.gguf"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestRedirectOutOfEncryption(t *testing.T) {
	from, _ := url.Parse("https://h/m")
	to, _ := url.Parse("http://h/m")
	if checkRedirect(&http.Request{URL: to}, []*http.Request{{URL: from}}) == nil {
		t.Error("followed")
	}
	if err := checkRedirect(&http.Request{URL: from}, []*http.Request{{URL: from}}); err != nil {
		t.Error(err)
	}
}

// FuzzServer answers with anything: no panic, and memory bounded by what is asked for.
func FuzzServer(f *testing.F) {
	data, err := os.ReadFile("../testdata/tiny.gguf")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(206, fmt.Sprintf("bytes 0-%d/%d", len(data)-1, len(data)), data)
	f.Add(206, "bytes 0-9/1000", data[:10])
	f.Add(416, "bytes */0", []byte{})
	f.Add(206, "bytes 0-1/9223372036854775807", data)
	f.Fuzz(func(t *testing.T, status int, header string, body []byte) {
		transport := roundTrip(func(*http.Request) (*http.Response, error) {
			rec := httptest.NewRecorder()
			rec.Header().Set("Content-Range", header)
			rec.Body.Write(body)
			rec.Code = status
			return rec.Result(), nil
		})
		u, _ := url.Parse("http://host/m.gguf")
		c := newClient(t.Context(), u, "")
		c.http.Transport = transport
		g, err := gguf.OpenFrom("m.gguf", func(name string) (gguf.Source, error) { return c.open(name, u) })
		if err != nil {
			return
		}
		for i := range g.Tensors {
			x := &g.Tensors[i]
			g.ReadTensor(x, make([]byte, min(x.Size, 1<<20)), 0)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(q *http.Request) (*http.Response, error) { return r(q) }
