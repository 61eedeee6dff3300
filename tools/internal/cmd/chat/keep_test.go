package chat

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/engine/serve"
	"github.com/llamakit/llamakit/tools/internal/run"
)

// write writes a file for a test.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// talked is a session with one question and its answer.
const talked = `{"llamakit_session":1,"id":"talk-1","created":"2026-03-01T12:00:00Z","title":"A sum","system":"Be brief.","leaf":2,"turns":2}
{"id":1,"message":{"role":"user","content":"What is 12 + 30?"}}
{"id":2,"parent":1,"message":{"role":"assistant","content":"42"},"made":{"at":"2026-03-01T12:00:01Z","seed":77}}
`

// TestResume goes on with a session, and finds it again.
func TestResume(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	if code, stdout, _ := exec("", "--sessions"); code != run.Done || stdout != "" {
		t.Errorf("no sessions: code %d, %q", code, stdout)
	}
	dir := filepath.Join(state, "llamakit", "sessions")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "talk-1.jsonl"), []byte(talked), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := exec("", "--resume", "talk", "Hello!", "--temp", "0", "-rea", "off"); code != run.Done || stdout != hello {
		t.Fatalf("code %d, %q, %q", code, stdout, stderr)
	}
	code, stdout, _ := exec("", "--sessions", "--json")
	var entry struct{ ID, Title, Changed string }
	if json.Unmarshal([]byte(stdout), &entry) != nil || code != run.Done || entry.ID != "talk-1" || entry.Title != "A sum" || entry.Changed == "" {
		t.Errorf("listed as %q", stdout)
	}
	_, stdout, _ = exec("", "--resume", "last", "--export", "markdown")
	if want := "# A sum\n\nModel: Demo\n\n## System\n\nBe brief.\n\n## You\n\nWhat is 12 + 30?\n\n## Model\n\n42\n\n## You\n\nHello!\n\n## Model\n\n" + hello; stdout != want {
		t.Errorf("exported %q, want %q", stdout, want)
	}
	exec("", "--resume", "last", "--no-save", "Hello!")
	if _, stdout, _ = exec("", "--sessions"); !strings.Contains(stdout, "  4 turns  A sum") {
		t.Errorf("--no-save was saved: %q", stdout)
	}
	code, _, stderr := exec("", "--resume", "none", "Hello!")
	if code != run.Failed || !strings.Contains(stderr, `no session "none"`) {
		t.Errorf("code %d, %q", code, stderr)
	}
}

func TestExport(t *testing.T) {
	file := write(t, "talk.jsonl", talked)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"--export", "curl", "Hi", "--temp", "0.25", "-s", "3"}, []string{"curl -sS", `"content": "Hi"`, `"temperature": 0.25`, `"seed": 3`}},
		{[]string{"--export", "json", "--resume", file}, []string{`"seed": 77`, `"content": "What is 12 + 30?"`}},
		{[]string{"--export", "python", "--no-conversation", "Once"}, []string{"/completion", `"prompt": "Once"`}},
		{[]string{"--export", "jsonl", "--resume", file, "More?"}, []string{`"content":"42"`, `"content":"More?"`}},
		{[]string{"--export", "go", "Hi", "-j", `{"const": 1}`}, []string{"package main", `"json_schema": {`}},
	} {
		code, stdout, stderr := exec("", c.args...)
		for _, want := range c.want {
			if code != run.Done || !strings.Contains(stdout, want) {
				t.Errorf("%q: code %d, %q; no %q in\n%s", c.args, code, stderr, want, stdout)
			}
		}
	}
	if _, stdout, _ := exec("", "--export", "json", "--resume", file); strings.Contains(stdout, `"42"`) {
		t.Errorf("the request of an answer holds it: %s", stdout)
	}
}

const weather = `[{"name": "get_weather", "description": "Get the weather in a city",
"parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}]`

// TestTools: a call without a command is the answer; with one, the model goes on with the result.
func TestTools(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("commands are written for sh")
	}
	file := write(t, "tools.json", weather)
	ask := []string{"Is it raining in Quito?", "--temp", "0", "-rea", "off", "--tools", file}
	if code, stdout, _ := exec("", ask...); code != run.Done || stdout != `{"name":"get_weather","arguments":{"city":"Quito"}}`+"\n" {
		t.Errorf("code %d, %q", code, stdout)
	}
	command := `get_weather=cat >&2; echo '{"city": "Quito", "temperature": 31, "sky": "snowy"}'`
	if code, stdout, stderr := exec("", append(ask, "--tool", command)...); code != run.Done || !strings.Contains(stdout, "snowy and 31 degrees") || !strings.Contains(stderr, `[ get_weather {"city": "Quito"}`) {
		t.Errorf("code %d, %q, %q", code, stdout, stderr)
	}
	_, stdout, _ := exec("", append(ask, "--tool", command, "--json")...)
	if !strings.Contains(stdout, `{"tool_call":{"name":"get_weather","arguments":{"city":"Quito"},"result":"{\"city\"`) || strings.Count(stdout, `"stop":`) != 2 {
		t.Errorf("as JSON: %s", stdout)
	}
}

func TestWrongUseOfOthers(t *testing.T) {
	file := write(t, "tools.json", weather)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"a", "--tool", "x=y"}, run.WrongUse, "--tools FILE"},
		{[]string{"a", "--tools", file, "--tool", "other=y"}, run.WrongUse, "get_weather"},
		{[]string{"a", "--tools", write(t, "bad.json", "[1]")}, run.Failed, "bad.json"},
		{[]string{"a", "--url", "x", "-m", "y"}, run.WrongUse, "exclude"},
		{[]string{"a", "--url", "x", "--chat-template", "y"}, run.WrongUse, "server"},
		{[]string{"a", "--url", "ftp://x"}, run.Failed, "not an address"},
		{[]string{"a", "--url", "127.0.0.1:1"}, run.Failed, "127.0.0.1:1"},
		{[]string{"a", "--export", "yaml"}, run.WrongUse, "markdown"},
		{[]string{"a", "--export", "markdown", "-no-cnv"}, run.WrongUse, "conversation"},
		{[]string{"a", "--resume", "x", "-no-cnv"}, run.Failed, `"x"`},
	} {
		t.Setenv("XDG_STATE_HOME", t.TempDir())
		code, stdout, stderr := exec("", c.args...)
		if code != c.code || !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("%q: code %d, stdout %q, stderr %q", c.args, code, stdout, stderr)
		}
	}
}

// TestURL asks a server, which wants a key.
func TestURL(t *testing.T) {
	m, err := engine.OpenBytes(t.Context(), demo.Name, demo.Model(), engine.Options{Context: 512, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	s, err := serve.New(serve.Options{Keys: []string{"secret"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Load(func() (*engine.Model, error) { return m, nil }); err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	defer h.Close()
	if code, stdout, stderr := exec("Hello!", "--url", h.URL, "--api-key", "secret", "--temp", "0", "-rea", "off"); code != run.Done || stdout != hello || !strings.Contains(stderr, "t/s") {
		t.Errorf("code %d, %q, %q", code, stdout, stderr)
	}
	if code, _, stderr := exec("Hello!", "--url", h.URL); code != run.Failed || !strings.Contains(stderr, "--api-key") {
		t.Errorf("without the key: code %d, %q", code, stderr)
	}
	if _, stdout, _ := exec("Hello!", "--url", h.URL, "--api-key", "secret", "--export", "curl"); !strings.Contains(stdout, h.URL) || !strings.Contains(stdout, "$LLAMA_API_KEY") || strings.Contains(stdout, "secret") {
		t.Errorf("exported\n%s", stdout)
	}
}
