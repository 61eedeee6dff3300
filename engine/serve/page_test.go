package serve_test

import (
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine/serve"
	"github.com/llamakit/llamakit/engine/serve/web"
)

func TestPage(t *testing.T) {
	_, open := start(t, serve.Options{Keys: []string{"sk-a"}, Prefix: "/pre"})
	_, off := start(t, serve.Options{NoPage: true})
	dir := t.TempDir()
	for name, text := range map[string]string{"index.html": "mine", "sub/x.txt": "x"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	_ = os.Symlink(outside, filepath.Join(dir, "link")) // where the system allows it
	_, folder := start(t, serve.Options{PagePath: dir, Keys: []string{"sk-a"}})
	for _, c := range []struct {
		path string
		on   *httptest.Server
		code int
		word string
	}{
		{"/pre/", open, 200, "<title>llamakit"}, {"/pre", open, 200, "<title>llamakit"}, {"/pre/main.js", open, 200, "import"},
		{"/", open, 404, "File Not Found"}, {"/pre/nothing.js", open, 401, "Invalid API Key"}, {"/pre/web.go", open, 401, ""},
		{"/", off, 404, "File Not Found"}, {"/main.js", off, 404, ""},
		{"/", folder, 200, "mine"}, {"/sub/x.txt", folder, 200, "x"}, {"/sub/", folder, 401, ""},
		{"/link", folder, 401, ""}, {"/../secret", folder, 401, ""}, {"/%2e%2e/secret", folder, 401, ""}, {"/main.js", folder, 401, ""},
	} {
		res, err := c.on.Client().Get(c.on.URL + c.path)
		if err != nil {
			t.Fatal(err)
		}
		body := make([]byte, 4096)
		n, _ := res.Body.Read(body)
		res.Body.Close()
		if res.StatusCode != c.code || !strings.Contains(string(body[:n]), c.word) {
			t.Errorf("%s: %d %.100q, want %d with %q", c.path, res.StatusCode, body[:n], c.code, c.word)
		}
		if policy := res.Header.Get("Content-Security-Policy"); c.on == open && c.code == 200 && !strings.Contains(policy, "default-src 'none'") {
			t.Errorf("%s: policy %q", c.path, policy)
		}
	}
	if _, err := serve.New(serve.Options{PagePath: outside}); err == nil {
		t.Error("a file as the folder of the page")
	}
}

// TestPageIsAlone: the page asks its own server and nobody else, and stays small.
func TestPageIsAlone(t *testing.T) {
	foreign := regexp.MustCompile(`https?://[a-z0-9]|//[a-z0-9-]+\.[a-z]|innerHTML|eval\(`)
	lines := 0
	files, err := fs.Glob(web.Files, "*")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		data, err := fs.ReadFile(web.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		if found := foreign.Find(data); found != nil {
			t.Errorf("%s has %q", name, found)
		}
		if strings.HasSuffix(name, ".js") {
			lines += strings.Count(string(data), "\n")
		}
	}
	if lines > 500 {
		t.Errorf("%d lines of JavaScript", lines)
	}
}
