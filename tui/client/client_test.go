package client

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestNew(t *testing.T) {
	for address, want := range map[string]string{"127.0.0.1:9931": "http://127.0.0.1:9931", "https://host/v1/": "https://host", "http://host/a": "http://host/a"} {
		if c, err := New(address, ""); err != nil || c.URL != want {
			t.Errorf("%s: %+v, %v, want %s", address, c, err, want)
		}
	}
	for _, address := range []string{"", "http://", "ftp://host", "http://a b"} {
		if c, err := New(address, ""); err == nil {
			t.Errorf("%q: %+v", address, c)
		}
	}
}

// echo answers with what was asked, or as its path says.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch r.URL.Path {
	case "/missing":
		w.WriteHeader(http.StatusNotImplemented)
	case "/locked":
		w.WriteHeader(http.StatusUnauthorized)
	case "/loading":
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, `{"error":{"message":"Loading model"}}`)
	case "/broken":
		w.WriteHeader(http.StatusInternalServerError)
	case "/text":
		fmt.Fprint(w, "no JSON")
	case "/props":
		fmt.Fprint(w, `{"model_path":"/models/a.gguf","default_generation_settings":{"n_ctx":2048}}`)
	default:
		fmt.Fprintf(w, `{"asked":%q}`, r.Method+" "+r.Header.Get("Authorization")+" "+string(body))
	}
}

func TestClient(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(echo))
	defer s.Close()
	c, err := New(s.URL, "secret")
	if err != nil {
		t.Fatal(err)
	}
	for want, body := range map[string]any{"GET Bearer secret ": nil, `POST Bearer secret {"a":"<&>"}`: map[string]string{"a": "<&>"}} {
		var got struct{ Asked string }
		if err := c.Call(t.Context(), "/x", body, &got); err != nil || got.Asked != want {
			t.Errorf("%q, %v, want %q", got.Asked, err, want)
		}
	}
	for path, want := range map[string]string{"/locked": "--api-key", "/loading": "Loading model", "/broken": "/broken answers 500", "/text": "not JSON"} {
		if err := c.Call(t.Context(), path, nil, new(any)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", path, err, want)
		}
	}
	if _, err := c.Read(t.Context(), "/missing", nil); !errors.Is(err, ErrMissing) {
		t.Errorf("%v", err)
	}
	if p, err := c.Props(t.Context()); err != nil || p.Name != "a.gguf" || p.Context != 2048 {
		t.Errorf("%+v, %v", p, err)
	}
}
