package chat

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/engine/chat/jinja"
)

// shape says in which form a template gets what can be written in several ways.
type shape struct {
	exact   bool // everything as it came
	lists   bool // a list of parts stays one
	parts   bool // text becomes a list
	textual bool // the arguments of calls are a text
	null    bool // empty content beside calls is none
	fields  []string

	functions bool // tools are a text in the variable functions, the time one in datetime (FireFunction)
}

// fieldOrder is the order of a message that was not read from JSON.
var fieldOrder = []string{"role", "content", "reasoning_content", "tool_calls", "tool_call_id", "name"}

// value is the message as a template sees it, in the order in which JSON had its fields.
func (m *Message) value(sh shape) (*jinja.Dict, error) {
	values := map[string]jinja.Value{}
	for _, f := range m.Extra {
		v, err := jinja.FromJSON(f.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		values[f.Name] = v
	}
	if err := m.addKnown(values, sh); err != nil {
		return nil, err
	}
	d := jinja.NewDict()
	order := append(append([]string(nil), m.keys...), fieldOrder...)
	for _, f := range m.Extra {
		order = append(order, f.Name)
	}
	for _, name := range append(order, sh.fields...) {
		if v, ok := values[name]; ok {
			d.Set(name, v)
		}
	}
	return d, nil
}

// addKnown adds the fields of Message.
func (m *Message) addKnown(values map[string]jinja.Value, sh shape) error {
	for name, text := range map[string]string{"role": m.Role, "tool_call_id": m.ToolCallID, "name": m.Name} {
		if text != "" {
			values[name] = text
		}
	}
	if m.Reasoning != "" {
		m.addReasoning(values, sh)
	}
	content, present, err := m.content(sh)
	if err != nil {
		return err
	}
	if _, extra := values["content"]; present && !extra {
		values["content"] = content
	}
	if len(m.ToolCalls) == 0 {
		return nil
	}
	calls := jinja.NewList()
	for i := range m.ToolCalls {
		c, err := m.ToolCalls[i].value(sh)
		if err != nil {
			return fmt.Errorf("tool_calls[%d]: %w", i, err)
		}
		calls.Items = append(calls.Items, c)
	}
	values["tool_calls"] = calls
	return nil
}

// addReasoning sets reasoning_content, and where a template reads the reasoning under another name, that.
func (m *Message) addReasoning(values map[string]jinja.Value, sh shape) {
	for _, name := range append([]string{"reasoning_content"}, sh.fields...) {
		if _, given := values[name]; !given {
			values[name] = m.Reasoning
		}
	}
}

// content returns what the template sees as content. Exactly as it came, it may be missing.
func (m *Message) content(sh shape) (v jinja.Value, present bool, err error) {
	switch {
	case sh.exact && m.Parts == nil && m.Content == "" && m.keys != nil:
		return map[bool]jinja.Value{true: nil, false: ""}[m.nullContent], m.has("content"), nil
	case m.Parts != nil && (sh.exact || sh.lists || sh.parts):
		v, err = listValue(m.Parts)
		return v, true, err
	}
	text, err := m.text()
	switch {
	case err != nil:
		return nil, false, err
	case text == "" && len(m.ToolCalls) > 0 && sh.null:
		return nil, true, nil
	case sh.parts && !sh.exact:
		v, err = listValue([]Part{TextPart(text)})
		return v, true, err
	}
	return text, true, nil
}

func (m *Message) has(key string) bool {
	for _, k := range m.keys {
		if k == key {
			return true
		}
	}
	return false
}

// Text is the text of the content; parts are joined by newlines, as llama.cpp does it.
func (m *Message) Text() string {
	if m.Parts == nil {
		return m.Content
	}
	texts := make([]string, len(m.Parts))
	for i, p := range m.Parts {
		texts[i] = p.Text
	}
	return strings.Join(texts, "\n")
}

// text is Text of a message that has nothing else.
func (m *Message) text() (string, error) {
	for i, p := range m.Parts {
		if p.Type != "text" {
			return "", fmt.Errorf("content[%d] is of type %q, but the chat template takes only text", i, p.Type)
		}
	}
	return m.Text(), nil
}

func listValue(parts []Part) (jinja.Value, error) {
	list := jinja.NewList()
	for i, p := range parts {
		v, err := p.value()
		if err != nil {
			return nil, fmt.Errorf("content[%d]: %w", i, err)
		}
		list.Items = append(list.Items, v)
	}
	return list, nil
}

// value is the part as it came, with its text as it is now.
func (p *Part) value() (jinja.Value, error) {
	if p.Raw != nil {
		v, err := jinja.FromJSON(p.Raw)
		d, isDict := v.(*jinja.Dict)
		if err != nil || !isDict { // a part may be nothing but a text
			return p.Text, err
		}
		if _, ok := d.Get("text"); ok && p.Type == "text" {
			d.Set("text", p.Text)
		}
		return d, nil
	}
	d := jinja.NewDict()
	d.Set("type", p.Type)
	if p.Type == "text" {
		d.Set("text", p.Text)
	}
	return d, nil
}

// value is the call as a template sees it.
func (c *ToolCall) value(sh shape) (jinja.Value, error) {
	call, function := jinja.NewDict(), jinja.NewDict()
	if c.raw != nil {
		v, err := jinja.FromJSON(c.raw)
		if err != nil {
			return nil, err
		}
		call = v.(*jinja.Dict)
		f, _ := call.Get("function")
		function = f.(*jinja.Dict)
	} else {
		if c.ID != "" {
			call.Set("id", c.ID)
		}
		call.Set("type", "function")
		call.Set("function", function)
	}
	if c.ID != "" {
		call.Set("id", c.ID)
	}
	if c.Type != "" {
		call.Set("type", c.Type)
	}
	if c.Name != "" {
		function.Set("name", c.Name)
	}
	args, err := c.arguments(sh)
	if err != nil {
		return nil, fmt.Errorf("arguments of %q: %w", c.Name, err)
	}
	if c.raw == nil || c.Arguments != nil {
		function.Set("arguments", args)
	}
	return call, nil
}

// arguments returns the arguments as the template wants them: a mapping, or its JSON as text.
func (c *ToolCall) arguments(sh shape) (jinja.Value, error) {
	raw := c.Arguments
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	v, err := jinja.FromJSON(raw)
	text, isText := v.(string)
	switch {
	case err != nil || sh.exact:
		return v, err
	case sh.textual && isText:
		return text, nil
	case sh.textual:
		return string(raw), nil
	case isText && strings.TrimSpace(text) == "":
		return jinja.NewDict(), nil
	case isText:
		return jinja.FromJSON([]byte(text))
	}
	return v, nil
}
