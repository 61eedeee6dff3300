package serve_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine/serve"
)

// TestBegunCall: an answer that begins within a call, or behind one, goes on with it, streamed and not; what no call can begin with
// is refused.
func TestBegunCall(t *testing.T) {
	_, h := start(t, serve.Options{})
	const whole = "<tool_call>\n" + `{"name": "get_weather", "arguments": {"city": "Rome"}}` + "\n</tool_call>"
	for _, c := range []struct {
		begun, more, name, wrong string
		calls                    int
	}{
		{begun: "<tool_call>\n{\"name\": \"add\"", name: "add", calls: 1},
		{begun: whole, more: `,"tool_choice":"required","parallel_tool_calls":false`, name: "get_weather", calls: 1},
		{begun: whole + "\n<tool_call>\n{", name: "get_weather", calls: 2},
		{begun: whole + "\n<tool_call>\n{", more: `,"parallel_tool_calls":false`, wrong: "after the only call"},
		{begun: "<tool_call>no", wrong: "not allowed here"},
	} {
		begun, _ := json.Marshal(c.begun)
		body := `{"temperature":0,` + toolsField + c.more + `,"messages":[{"role":"user","content":"Is it raining in Quito?"},{"role":"assistant","content":` + string(begun) + `}]`
		code, got := post(t, h, "/v1/chat/completions", body+`}`)
		if c.wrong != "" {
			if code != 400 || !strings.Contains(got, c.wrong) {
				t.Errorf("%q: %d %s", c.begun, code, got)
			}
			continue
		}
		answer := decode(t, got)
		name, arguments, _ := call(answer, "0")
		list, _ := at(answer, "choices.0.message.tool_calls").([]any)
		if len(list) != c.calls || c.name != "" && name != c.name || at(answer, "choices.0.finish_reason") != "tool_calls" {
			t.Errorf("%q: %s", c.begun, got)
			continue
		}
		_, got = post(t, h, "/v1/chat/completions", body+`,"stream":true}`)
		all, _ := events(t, got)
		if at(all[0].data, "choices.0.delta.role") != "assistant" || text(all, "choices.0.delta.content") != "" ||
			!strings.HasPrefix(text(all, "choices.0.delta.tool_calls.0.function.name"), name) ||
			!strings.HasPrefix(text(all, "choices.0.delta.tool_calls.0.function.arguments"), arguments) {
			t.Errorf("%q: %s", c.begun, got)
		}
	}
}
