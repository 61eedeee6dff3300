package chat

import (
	"bytes"
	"encoding/json"
	"slices"
)

// MarshalJSON writes a message as the chat APIs have it; UnmarshalJSON reads it back.
func (m Message) MarshalJSON() ([]byte, error) {
	fields := []Field{{Name: "role", Value: encoded(m.Role)}}
	add := func(name string, value json.RawMessage) { fields = append(fields, Field{name, value}) }
	switch {
	case slices.ContainsFunc(m.Extra, func(f Field) bool { return f.Name == "content" }): // of a type that is not known
	case m.Parts == nil:
		add("content", encoded(m.Content))
	default:
		add("content", partsJSON(m.Parts))
	}
	for _, f := range []struct{ name, text string }{{"reasoning_content", m.Reasoning}, {"tool_call_id", m.ToolCallID}, {"name", m.Name}} {
		if f.text != "" {
			add(f.name, encoded(f.text))
		}
	}
	if len(m.ToolCalls) > 0 {
		add("tool_calls", callsJSON(m.ToolCalls))
	}
	return objectJSON(append(fields, m.Extra...)), nil
}

func partsJSON(parts []Part) json.RawMessage {
	list := make([]json.RawMessage, len(parts))
	for i, p := range parts {
		if list[i] = p.Raw; p.Raw == nil {
			list[i] = objectJSON([]Field{{"type", encoded(p.Type)}, {"text", encoded(p.Text)}})
		}
	}
	return encoded(list)
}

func callsJSON(calls []ToolCall) json.RawMessage {
	list := make([]json.RawMessage, len(calls))
	for i, c := range calls {
		function := objectJSON([]Field{{"name", encoded(c.Name)}, {"arguments", encoded(c.Object())}})
		kind := c.Type
		if kind == "" {
			kind = "function"
		}
		list[i] = objectJSON([]Field{{"id", encoded(c.ID)}, {"type", encoded(kind)}, {"function", function}})
	}
	return encoded(list)
}

// encoded is a value as JSON; unlike json.Marshal's, with <, > and & as they are.
func encoded(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // texts and JSON can always be written
	return bytes.TrimSpace(b.Bytes())
}

func objectJSON(fields []Field) json.RawMessage {
	var b bytes.Buffer
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encoded(f.Name))
		b.WriteByte(':')
		b.Write(f.Value)
	}
	return json.RawMessage("{" + b.String() + "}")
}
