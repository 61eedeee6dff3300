package debug

import (
	"encoding/json"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/chat/calls"
)

// takeCalls takes the tool calls out of the content of an answer.
func takeCalls(run *Run, split calls.Splitter) (list []ToolCall) {
	text, deltas := split.Push(run.Content)
	run.Content = text + split.Flush()
	for _, c := range calls.Join(deltas) {
		arguments := json.RawMessage(c.Arguments)
		if !json.Valid(arguments) { // the answer was cut within them
			arguments, _ = json.Marshal(string(c.Arguments))
		}
		list = append(list, ToolCall{Name: c.Name, Arguments: arguments})
	}
	return list
}

// templateOf is the template that an input is rendered by.
func (s *Session) templateOf(in *Input) (*chat.Template, error) {
	t, err := in.template()
	if t == nil {
		t = s.model.Template()
	}
	return t, err
}
