package debug

import (
	"encoding/json"

	"github.com/llamakit/llamakit/engine/chat"
)

// wireMessage is a message as the chat APIs write it.
type wireMessage struct {
	Role       string     `json:"role"`
	Content    any        `json:"content"`
	Reasoning  string     `json:"reasoning_content,omitempty"`
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	Name       string     `json:"name,omitempty"`
}

type wireCall struct {
	ID       string       `json:"id,omitempty"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// EncodeMessages writes a conversation as the chat APIs have it: Input.Messages.
func EncodeMessages(list []chat.Message) (json.RawMessage, error) {
	out := make([]wireMessage, len(list))
	for i := range list {
		out[i] = wire(&list[i])
	}
	return json.Marshal(out)
}

func wire(m *chat.Message) wireMessage {
	w := wireMessage{Role: m.Role, Content: m.Content, Reasoning: m.Reasoning, ToolCallID: m.ToolCallID, Name: m.Name}
	if m.Parts != nil {
		parts := make([]any, len(m.Parts))
		for i, p := range m.Parts {
			if parts[i] = p.Raw; p.Raw == nil {
				parts[i] = map[string]string{"type": "text", "text": p.Text}
			}
		}
		w.Content = parts
	}
	for _, c := range m.ToolCalls {
		kind := c.Type
		if kind == "" {
			kind = "function"
		}
		w.ToolCalls = append(w.ToolCalls, wireCall{c.ID, kind, wireFunction{c.Name, c.Arguments}})
	}
	return w
}
