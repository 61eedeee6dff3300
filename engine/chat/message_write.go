package chat

import (
	"bytes"
	"encoding/json"
)

// MarshalJSON writes a message as the chat APIs have it; UnmarshalJSON reads it back.
func (m Message) MarshalJSON() ([]byte, error) {
	fields := []Field{{Name: "role", Value: jsonText(m.Role)}}
	add := func(name string, value json.RawMessage) { fields = append(fields, Field{name, value}) }
	if m.Parts == nil {
		add("content", jsonText(m.Content))
	} else {
		add("content", partsJSON(m.Parts))
	}
	for _, f := range []struct{ name, text string }{{"reasoning_content", m.Reasoning}, {"tool_call_id", m.ToolCallID}, {"name", m.Name}} {
		if f.text != "" {
			add(f.name, jsonText(f.text))
		}
	}
	if len(m.ToolCalls) > 0 {
		add("tool_calls", callsJSON(m.ToolCalls))
	}
	for _, f := range m.Extra {
		if f.Name != "content" { // one that was empty stands there already
			add(f.Name, f.Value)
		}
	}
	return objectJSON(fields), nil
}

func partsJSON(parts []Part) json.RawMessage {
	list := make([]json.RawMessage, len(parts))
	for i, p := range parts {
		if list[i] = p.Raw; p.Raw == nil {
			list[i] = objectJSON([]Field{{"type", jsonText(p.Type)}, {"text", jsonText(p.Text)}})
		}
	}
	return listJSON(list)
}

func callsJSON(calls []ToolCall) json.RawMessage {
	list := make([]json.RawMessage, len(calls))
	for i, c := range calls {
		function := objectJSON([]Field{{"name", jsonText(c.Name)}, {"arguments", jsonText(c.Object())}})
		kind := c.Type
		if kind == "" {
			kind = "function"
		}
		list[i] = objectJSON([]Field{{"id", jsonText(c.ID)}, {"type", jsonText(kind)}, {"function", function}})
	}
	return listJSON(list)
}

// jsonText is a text as JSON; unlike json.Marshal's, with <, > and & as they are.
func jsonText(text string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a text can always be written
	return bytes.TrimSpace(b.Bytes())
}

func listJSON(items []json.RawMessage) json.RawMessage {
	return json.RawMessage("[" + string(bytes.Join(raws(items), []byte(","))) + "]")
}

func objectJSON(fields []Field) json.RawMessage {
	var b bytes.Buffer
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(jsonText(f.Name))
		b.WriteByte(':')
		b.Write(f.Value)
	}
	return json.RawMessage("{" + b.String() + "}")
}

func raws(items []json.RawMessage) [][]byte {
	out := make([][]byte, len(items))
	for i := range items {
		out[i] = items[i]
	}
	return out
}
