package serve

import (
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine"
)

const twoCalls = "Well.\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>\n<tool_call>\n{\"name\": \"g\", \"arguments\": {}}\n</tool_call>"

// TestTwoCalls: the parts of calls in a stream say which call they are of, however the text is cut.
func TestTwoCalls(t *testing.T) {
	for size := 1; size <= len(twoCalls); size += 3 {
		j := &job{params: &params{tools: &toolset{}}}
		text, names, arguments := "", map[int]string{}, map[int]string{}
		for rest := twoCalls; rest != ""; {
			n := min(size, len(rest))
			more, calls := j.split(engine.Event{Text: rest[:n]})
			text, rest = text+more, rest[n:]
			for _, d := range calls {
				c := callDelta(d)["tool_calls"].([]toolCall)[0]
				names[*c.Index] += c.Function.Name
				arguments[*c.Index] += c.Function.Arguments
			}
		}
		if text != "Well." || names[0] != "f" || names[1] != "g" || arguments[0] != `{"a": 1}` || arguments[1] != "{}" || len(names) != 2 {
			t.Fatalf("pieces of %d: %q, %v, %v", size, text, names, arguments)
		}
	}
}

// TestNoCall: what stands where a call should be, and is none, is text, and told of.
func TestNoCall(t *testing.T) {
	const broken = "<tool_call>\n{\"nam\": 5}\n</tool_call>"
	j := &job{params: &params{tools: &toolset{}}}
	text, calls := j.callsOf(broken)
	if text != broken || calls != nil || *(&job{result: &engine.Result{}}).finish() != "stop" {
		t.Errorf("%q, %v", text, calls)
	}
	if list := warnings(j.params, j); len(list) != 1 || !strings.Contains(list[0], "not whole") {
		t.Errorf("%v", list)
	}
}
