package chat

import (
	"bytes"
	"encoding/json"
	"strings"
)

// PlainTools tells a model of tools whose template cannot, or has a format that is not known here: the tools stand in the system
// message, calls and results in the text of the other messages, in the format of Hermes. The messages given are not changed.
func PlainTools(messages []Message, tools json.RawMessage) []Message {
	about := "You may call these functions, of which each line describes one:\n" + lines(tools) +
		"\nTo call a function, write its name and its arguments as JSON between " + CallOpen + " and " + CallClose + ":\n" +
		CallOpen + "\n{\"name\": <name>, \"arguments\": <arguments>}\n" + CallClose
	var out []Message
	if len(messages) > 0 && messages[0].Role == "system" {
		about = messages[0].Text() + "\n\n" + about
		messages = messages[1:]
	}
	out = append(out, Message{Role: "system", Content: about})
	for i, m := range messages {
		switch {
		case m.Role == "tool" && i > 0 && messages[i-1].Role == "tool":
			out[len(out)-1].Content += "\n" + result(m.Text())
		case m.Role == "tool":
			out = append(out, Message{Role: "user", Content: result(m.Text())})
		case len(m.ToolCalls) > 0:
			out = append(out, Message{Role: m.Role, Reasoning: m.Reasoning, Content: m.plainCalls()})
		default:
			out = append(out, m)
		}
	}
	return out
}

func result(text string) string { return "<tool_response>\n" + text + "\n</tool_response>" }

// plainCalls is the text of a message with its calls.
func (m *Message) plainCalls() string {
	var parts []string
	if text := m.Text(); text != "" {
		parts = append(parts, text)
	}
	for _, call := range m.ToolCalls {
		name, _ := json.Marshal(call.Name)
		parts = append(parts, CallOpen+"\n{\"name\": "+string(name)+", \"arguments\": "+call.Object()+"}\n"+CallClose)
	}
	return strings.Join(parts, "\n")
}

// Object is the arguments as JSON, also where they came as a text that holds it.
func (c *ToolCall) Object() string {
	var text string
	switch {
	case json.Unmarshal(c.Arguments, &text) == nil && json.Valid([]byte(text)):
		return text
	case len(c.Arguments) == 0:
		return "{}"
	}
	return string(c.Arguments)
}

// lines are the elements of an array, one a line.
func lines(array json.RawMessage) string {
	var items []json.RawMessage
	_ = json.Unmarshal(array, &items) // the caller has read it
	var b strings.Builder
	for i, item := range items {
		if i > 0 {
			b.WriteByte('\n')
		}
		var one bytes.Buffer
		_ = json.Compact(&one, item)
		b.Write(one.Bytes())
	}
	return b.String()
}
