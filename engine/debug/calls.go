package debug

import (
	"encoding/json"

	"github.com/llamakit/llamakit/engine/chat"
)

// takeCalls takes the tool calls out of the content of an answer.
func takeCalls(run *Run, split chat.CallSplitter) []ToolCall {
	text, deltas := split.Push(run.Content)
	text += split.Flush()
	var calls []ToolCall
	for _, d := range deltas {
		if d.Name != "" {
			calls = append(calls, ToolCall{Name: d.Name})
		}
		if last := len(calls) - 1; last >= 0 {
			calls[last].Arguments = append(calls[last].Arguments, d.Arguments...)
		}
	}
	for i := range calls {
		if !json.Valid(calls[i].Arguments) { // the answer was cut within them
			calls[i].Arguments, _ = json.Marshal(string(calls[i].Arguments))
		}
	}
	run.Content = text
	return calls
}

// templateOf is the template that an input is rendered by.
func (s *Session) templateOf(in *Input) (*chat.Template, error) {
	t, err := in.template()
	if t == nil {
		t = s.model.Template()
	}
	return t, err
}
