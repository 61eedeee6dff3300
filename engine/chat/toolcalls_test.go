package chat

import (
	"strings"
	"testing"
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
