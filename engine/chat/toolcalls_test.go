package chat

import (
	"os"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
)

// TestCallSplitter cuts every answer in every way into three pieces: the result is the same.
func TestCallSplitter(t *testing.T) {
	for _, c := range []struct {
		answer, text, calls string
		broken              int
	}{
		{"Hello <b> there", "Hello <b> there", "", 0},
		{"<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": \"}\\\"\", \"b\": [1]}}\n</tool_call>", "", `add({"a": "}\"", "b": [1]})`, 0},
		{"I look.\n<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>\n<tool_call>\n{\"name\": \"g\", \"arguments\": {}}\n</tool_call>\n", "I look.", "f({})g({})", 0},
		{"<tool_call>\nnonsense\n</tool_call>", "<tool_call>\nnonsense\n</tool_call>", "", 1},
		{"<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a", "", `f({"a`, 1},
		{"<tool_call>\n{\"na", "<tool_call>\n{\"na", "", 1},
		{"a <tool", "a <tool", "", 0},
	} {
		for i := range len(c.answer) + 1 {
			for j := i; j <= len(c.answer); j++ {
				var s CallSplitter
				var text, calls strings.Builder
				last := -1
				for _, piece := range []string{c.answer[:i], c.answer[i:j], c.answer[j:]} {
					more, deltas := s.Push(piece)
					text.WriteString(more)
					for _, d := range deltas {
						if d.Name != "" {
							if last >= 0 {
								calls.WriteString(")")
							}
							calls.WriteString(d.Name + "(")
							last = d.Index
						}
						calls.WriteString(d.Arguments)
					}
				}
				text.WriteString(s.Flush())
				if s.Calls() == last+1 && last >= 0 {
					calls.WriteString(")")
				}
				if text.String() != c.text || calls.String() != c.calls || s.Broken != c.broken {
					t.Fatalf("%q at %d, %d: text %q, calls %q, %d broken", c.answer, i, j, text.String(), calls.String(), s.Broken)
				}
			}
		}
	}
}

// split pushes pieces and returns the text and, a line each, the calls.
func split(pieces ...string) (text, calls string, s CallSplitter) {
	var args []string
	for _, piece := range pieces {
		more, deltas := s.Push(piece)
		text += more
		for _, d := range deltas {
			for len(args) <= d.Index {
				args = append(args, "")
			}
			args[d.Index] += d.Name + d.Arguments
		}
	}
	return text + s.Flush(), strings.Join(args, "\n"), s
}

// FuzzCallSplitter: the result does not depend on the cuts.
func FuzzCallSplitter(f *testing.F) {
	f.Add("a <tool_call>\n{\"name\": \"f\", \"arguments\": {\"x\": [\"}\"]}}\n</tool_call>\n b", 20)
	f.Add("<tool_call>{}</tool_call><tool_call>", 13)
	f.Fuzz(func(t *testing.T, answer string, at int) {
		at = max(0, min(at, len(answer)))
		text, calls, whole := split(answer)
		cutText, cutCalls, cut := split(answer[:at], answer[at:])
		if text != cutText || calls != cutCalls || whole.Calls() != cut.Calls() || whole.Broken != cut.Broken {
			t.Errorf("%q: text %q, calls %q; cut at %d: %q, %q", answer, text, calls, at, cutText, cutCalls)
		}
	})
}

// TestTagged: the templates that write calls between tags.
func TestTagged(t *testing.T) {
	for name, want := range map[string]bool{"Qwen-Qwen3-0.6B": true, "NousResearch-Hermes-3-Llama-3.1-8B-tool_use": true, "Qwen3-Coder": false,
		"meta-llama-Llama-3.1-8B-Instruct": false, "google-gemma-2-2b-it": false} {
		source, err := os.ReadFile(golden.Shared(t, "golden", "templates", name+".jinja"))
		if err != nil {
			t.Fatal(err)
		}
		if got := mustParse(t, string(source)).Capabilities().Tagged; got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
