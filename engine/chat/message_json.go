package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// readFields reads a JSON object as its fields in order; of a key that comes twice the last value counts.
func readFields(data []byte) ([]Field, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, fmt.Errorf("want an object, got %.20s", data)
	}
	var fields []Field
	at := map[string]int{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		f := Field{Name: key.(string)}
		if err := dec.Decode(&f.Value); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if i, ok := at[f.Name]; ok {
			fields[i] = f
			continue
		}
		at[f.Name] = len(fields)
		fields = append(fields, f)
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("more text after the object")
	}
	return fields, nil
}

// UnmarshalJSON reads a message as the chat APIs write it. Fields that are not known, or not of the usual type, go to
// Extra; the order of all is kept.
func (m *Message) UnmarshalJSON(data []byte) error {
	fields, err := readFields(data)
	if err != nil {
		return fmt.Errorf("message: %w", err)
	}
	*m = Message{keys: []string{}}
	for _, f := range fields {
		m.keys = append(m.keys, f.Name)
		if !m.setField(f) {
			m.Extra = append(m.Extra, f)
		}
	}
	return nil
}

// setField sets a known field; false when it is not known or its value is of another type.
func (m *Message) setField(f Field) bool {
	switch f.Name {
	case "role":
		return setText(&m.Role, f.Value)
	case "content":
		return m.setContent(f.Value)
	case "reasoning_content":
		return setText(&m.Reasoning, f.Value)
	case "tool_call_id":
		return setText(&m.ToolCallID, f.Value)
	case "name":
		return setText(&m.Name, f.Value)
	case "tool_calls":
		return m.setToolCalls(f.Value)
	}
	return false
}

// setText reads a JSON string that is not empty; an empty one stays an extra field, so that it is not lost.
func setText(to *string, data json.RawMessage) bool {
	var text *string
	if json.Unmarshal(data, &text) != nil || text == nil || *text == "" {
		return false
	}
	*to = *text
	return true
}

func (m *Message) setContent(data json.RawMessage) bool {
	if bytes.Equal(data, []byte("null")) {
		m.nullContent = true
		return true
	}
	if json.Unmarshal(data, &m.Content) == nil {
		return true
	}
	var items []json.RawMessage
	if json.Unmarshal(data, &items) != nil {
		return false
	}
	parts := make([]Part, len(items))
	for i, item := range items {
		if !parts[i].read(item) {
			return false
		}
	}
	m.Parts = parts
	return true
}

// textField returns a field that is a text. Names are compared exactly, unlike in encoding/json, where "Text" would do.
func textField(fields []Field, name string) (text string, ok bool) {
	for _, f := range fields {
		if f.Name == name {
			var t *string
			ok = json.Unmarshal(f.Value, &t) == nil && t != nil
			if ok {
				text = *t
			}
		}
	}
	return text, ok
}

// read reads an element of a content list: an object with a type, or a text.
func (p *Part) read(data json.RawMessage) bool {
	if json.Unmarshal(data, &p.Text) == nil {
		p.Type, p.Raw = "text", data
		return true
	}
	fields, err := readFields(data)
	if err != nil {
		return false
	}
	kind, ok := textField(fields, "type")
	p.Type, p.Raw = kind, data
	p.Text, _ = textField(fields, "text")
	return ok
}

func (m *Message) setToolCalls(data json.RawMessage) bool {
	var items []json.RawMessage
	if json.Unmarshal(data, &items) != nil || len(items) == 0 {
		return false
	}
	calls := make([]ToolCall, len(items))
	for i, item := range items {
		if !calls[i].read(item) {
			return false
		}
	}
	m.ToolCalls = calls
	return true
}

// read reads {"id", "type", "function": {"name", "arguments"}}.
func (c *ToolCall) read(data json.RawMessage) bool {
	fields, err := readFields(data)
	if err != nil {
		return false
	}
	c.raw = data
	c.ID, _ = textField(fields, "id")
	c.Type, _ = textField(fields, "type")
	found := false
	for _, f := range fields {
		if f.Name == "function" {
			found = c.readFunction(f.Value)
		}
	}
	return found
}

func (c *ToolCall) readFunction(data json.RawMessage) bool {
	fields, err := readFields(data)
	if err != nil {
		return false
	}
	c.Name, _ = textField(fields, "name")
	for _, f := range fields {
		if f.Name == "arguments" {
			c.Arguments = f.Value
		}
	}
	return true
}
