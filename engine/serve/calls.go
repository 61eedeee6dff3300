package serve

import (
	"fmt"
	"slices"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/chat/calls"
)

// toolCall is a call in an answer of the chat completions API, or in a stream a part of one.
type toolCall struct {
	Index    *int   `json:"index,omitempty"` // in a stream
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// newCall is a call that begins.
func newCall(name string) (c toolCall) {
	c.ID, c.Type, c.Function.Name = newID("call_"), "function", name
	return c
}

// callsOf separates the calls of a whole answer from its text.
func (j *job) callsOf(content string) (text string, list []toolCall) {
	if j.params.tools == nil {
		return content, nil
	}
	text, deltas := j.calls.Push(content)
	text += j.calls.Flush()
	for _, whole := range calls.Join(deltas) {
		c := newCall(whole.Name)
		c.Function.Arguments = string(whole.Arguments)
		list = append(list, c)
	}
	return text, list
}

// split separates what an event adds to an answer into text and parts of calls, where there are tools.
func (j *job) split(e engine.Event) (text string, calls []chat.CallDelta) {
	if j.params.tools == nil {
		return e.Text, nil
	}
	if !j.resumed && (len(e.Tokens) > 0 || e.Result != nil) {
		j.resumed = true
		calls = j.calls.Resume(j.prefill)
	}
	text, more := j.calls.Push(e.Text)
	calls = append(calls, more...)
	if e.Result != nil {
		text += j.calls.Flush()
	}
	return text, calls
}

// callDelta is a part of a call as a stream has it.
func callDelta(d chat.CallDelta) delta {
	c := toolCall{}
	if d.Name != "" {
		c = newCall(d.Name)
	}
	c.Index, c.Function.Arguments = &d.Index, d.Arguments
	return delta{"tool_calls": []toolCall{c}}
}

// warnings are what is not enforced of a request, and what of its answers could not be read.
func warnings(p *params, jobs ...*job) []string {
	list := slices.Clone(p.form.warnings)
	for _, j := range jobs {
		switch n := j.calls.Broken; {
		case n > 0:
			list = append(list, fmt.Sprintf("answer %d: calls that are not whole: %d", j.index, n))
		case p.tools != nil && p.tools.required && j.calls.Calls() == 0:
			list = append(list, fmt.Sprintf("answer %d ended before the call that is required", j.index))
		}
	}
	return list
}
