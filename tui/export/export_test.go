package export

import (
	"context"
	"encoding/json"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/engine/serve"
	"github.com/llamakit/llamakit/tui/source"
)

// talk is a conversation whose texts are hard to quote.
func talk(address string) *Talk {
	p := sample.DefaultParams()
	p.Seed, p.Temperature = 11, 1.5
	messages := []chat.Message{{Role: "system", Content: "It's `so`: '''\"$HOME\\"}, {Role: "user", Content: "Tell me\na story, \"日本\"."}}
	return &Talk{Title: "A talk", Messages: append(messages, chat.Message{Role: "assistant", Content: "Once.", Reasoning: "Hm\nwell"}),
		Request: source.Request{Request: engine.Request{Messages: messages, Sampling: p, MaxTokens: 12, Template: engine.TemplateOptions{Thinking: engine.ThinkingOff}}},
		Source:  source.Info{Name: "Demo", Address: address, Sampling: sample.DefaultParams()}}
}

// TestReplay runs what was exported against a server: all programs get the answer that the request itself gets.
func TestReplay(t *testing.T) {
	s, err := serve.New(serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := engine.OpenBytes(context.Background(), demo.Name, demo.Model(), engine.Options{Context: 512, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := s.Load(func() (*engine.Model, error) { return m, nil }); err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	defer h.Close()
	k := talk(h.URL)
	k.Key = true
	want := ""
	for e, err := range (source.Local{Model: m}).Generate(t.Context(), k.Request) {
		if err != nil {
			t.Fatal(err)
		}
		want += e.Text
	}
	dir := t.TempDir()
	for name, tool := range map[string]string{"curl": "sh", "python": "python3"} {
		code, err := k.Write(name)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := exec.LookPath(map[string]string{"curl": "curl", "python": "python3"}[name]); err != nil {
			continue
		}
		cmd := exec.Command(tool, path)
		cmd.Env = append(os.Environ(), "LLAMA_API_KEY=x")
		out, err := cmd.CombinedOutput()
		var answer struct {
			Choices []struct{ Message struct{ Content string } }
		}
		if err != nil || json.Unmarshal(out, &answer) != nil || answer.Choices[0].Message.Content != want {
			t.Errorf("%s: %v\n%s\nwant %q of\n%s", name, err, out, want, code)
		}
	}
}

// TestGo reads the program, which takes too long to be built here.
func TestGo(t *testing.T) {
	k := talk("http://localhost:1")
	for _, text := range []string{"plain", "with ` in it", "a\r\ufeff"} {
		k.Request.Messages[1].Content = text
		code, err := k.Write("go")
		if err != nil {
			t.Fatal(err)
		}
		if formatted, err := format.Source([]byte(code)); err != nil || string(formatted) != code {
			t.Errorf("not formatted: %v\n%s", err, code)
		}
		file, err := parser.ParseFile(token.NewFileSet(), "", code, 0)
		if err != nil {
			t.Fatal(err)
		}
		literal := file.Scope.Lookup("body").Decl.(*ast.ValueSpec).Values[0].(*ast.BasicLit)
		got, err := strconv.Unquote(literal.Value)
		if want, _ := k.Write("json"); err != nil || got+"\n" != want {
			t.Errorf("%q: body %s, %v", text, got, err)
		}
	}
}

func TestText(t *testing.T) {
	k := talk("")
	k.Messages = append(k.Messages, chat.Message{Role: "assistant", ToolCalls: []chat.ToolCall{{ID: "c", Name: "f", Arguments: json.RawMessage(`{"a": 1}`)}}},
		chat.Message{Role: "tool", Name: "f", Content: "```"})
	for format, parts := range map[string][]string{
		"markdown": {"# A talk\n", "## You\n\nTell me\na story", "> Hm\n> well\n\nOnce.", "Call of `f`:\n\n```json\n{\"a\": 1}\n", "````\n```\n````"},
		"jsonl":    {`{"messages":[{"role":"system"`, `"tool_calls":[{"id":"c"`},
		"json":     {`"temperature": 1.5`, `"max_tokens": 12`, `"enable_thinking": false`},
		"curl":     {defaultAddress + "/v1/chat/completions"},
	} {
		text, err := k.Write(format)
		for _, part := range parts {
			if err != nil || !strings.Contains(text, part) {
				t.Errorf("%s: %v, no %q in\n%s", format, err, part, text)
			}
		}
	}
	if _, err := k.Write("yaml"); err == nil {
		t.Error("yaml is written")
	}
	if _, err := (&Talk{}).Write("curl"); err == nil {
		t.Error("nothing is exported")
	}
	k.Request.Script = []engine.Token{1}
	if _, err := k.Write("curl"); err == nil {
		t.Error("a request that no server can be asked is exported")
	}
}
