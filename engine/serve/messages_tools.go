package serve

import (
	"encoding/json"

	"github.com/llamakit/llamakit/engine/chat"
)

// toolBlock is a call in an answer of the messages API. In a stream its input begins empty, and comes as pieces of JSON.
type toolBlock struct {
	Type  string          `json:"type"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

func newToolBlock(name string, input string) toolBlock {
	return toolBlock{Type: "tool_use", ID: newID("toolu_"), Name: name, Input: json.RawMessage(input)}
}

// block is a call in the form of the messages API. One that was cut has no input that is JSON: what there is of it is text.
func (c toolCall) block() any {
	if !json.Valid([]byte(c.Function.Arguments)) {
		return textBlock{"text", c.Function.Name + " " + c.Function.Arguments}
	}
	return newToolBlock(c.Function.Name, c.Function.Arguments)
}

// addCall opens a block for a call that begins, and appends to its input.
func (t *messageStream) addCall(d chat.CallDelta) error {
	if d.Name != "" {
		if err := t.closeBlock(); err != nil {
			return err
		}
		if err := t.begin("tool_use", newToolBlock(d.Name, "{}")); err != nil {
			return err
		}
	}
	if d.Arguments == "" {
		return nil
	}
	return t.delta(map[string]any{"type": "input_json_delta", "partial_json": d.Arguments})
}
