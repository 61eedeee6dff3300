package chat

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/llamakit/llamakit/engine/chat/jinja"
)

// Input is what a template renders.
type Input struct {
	Messages             []Message
	Tools                json.RawMessage // array of tool definitions, in its own key order; nil: none
	AddGenerationPrompt  bool            // end with the beginning of the assistant's turn
	ContinueFinalMessage bool            // end inside the last message
	Kwargs               map[string]any  // further variables: chat_template_kwargs
	BOS, EOS             string
	Now                  time.Time // what strftime_now sees; zero: the clock
	Lenient              bool      // see jinja.Options

	raw   *jinja.Dict // messages as JSON had them, from ParseConversation
	extra *jinja.Dict // further variables in their own order
}

// ParseConversation reads a JSON object with messages, tools, add_generation_prompt (true when it is missing) and extra, a
// further object of variables. The order of all keys is kept.
func ParseConversation(data []byte) (Input, error) {
	in := Input{AddGenerationPrompt: true}
	v, err := jinja.FromJSON(data)
	if err != nil {
		return in, err
	}
	d, ok := v.(*jinja.Dict)
	if !ok {
		return in, fmt.Errorf("a conversation is a JSON object with messages")
	}
	messages, ok := d.Get("messages")
	list, isList := messages.(*jinja.List)
	if !ok || !isList {
		return in, fmt.Errorf("messages: want an array")
	}
	for i, m := range list.Items {
		if _, ok := m.(*jinja.Dict); !ok {
			return in, fmt.Errorf("messages[%d]: want an object", i)
		}
	}
	in.raw = d
	if on, ok := d.Get("add_generation_prompt"); ok {
		in.AddGenerationPrompt, _ = on.(bool)
	}
	if extra, ok := d.Get("extra"); ok {
		in.extra, _ = extra.(*jinja.Dict)
	}
	return in, nil
}

// vars are the variables that a template sees.
func (in *Input) vars(caps Capabilities) (*jinja.Dict, error) {
	vars := jinja.NewDict()
	if in.raw != nil {
		messages, _ := in.raw.Get("messages")
		vars.Set("messages", messages)
		if tools, ok := in.raw.Get("tools"); ok {
			vars.Set("tools", tools)
		}
	} else if err := in.setTyped(vars, caps); err != nil {
		return nil, err
	}
	vars.Set("add_generation_prompt", in.AddGenerationPrompt)
	vars.Set("bos_token", in.BOS)
	vars.Set("eos_token", in.EOS)
	names := make([]string, 0, len(in.Kwargs))
	for name := range in.Kwargs {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		v, err := fromGo(in.Kwargs[name])
		if err != nil {
			return nil, fmt.Errorf("template variable %s: %w", name, err)
		}
		vars.Set(name, v)
	}
	if in.extra != nil {
		for i := range in.extra.Len() {
			k, v := in.extra.At(i)
			vars.Set(fmt.Sprint(k), v)
		}
	}
	return vars, nil
}

// setTyped sets messages and tools from Go values.
func (in *Input) setTyped(vars *jinja.Dict, caps Capabilities) error {
	messages := jinja.NewList()
	for i := range in.Messages {
		m, err := in.Messages[i].value(caps)
		if err != nil {
			return fmt.Errorf("messages[%d]: %w", i, err)
		}
		messages.Items = append(messages.Items, m)
	}
	vars.Set("messages", messages)
	if len(in.Tools) == 0 {
		return nil
	}
	tools, err := jinja.FromJSON(in.Tools)
	if err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	vars.Set("tools", tools)
	return nil
}

// fromGo turns a Go value, such as json.Unmarshal makes, into a template's.
func fromGo(v any) (jinja.Value, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jinja.FromJSON(data)
}

// text is the content as one text: parts are joined by newlines.
func (m *Message) text() string {
	if m.Parts == nil {
		return m.Content
	}
	var texts []string
	for _, p := range m.Parts {
		if p.Type == "text" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// value is the message as a template sees it.
func (m *Message) value(caps Capabilities) (jinja.Value, error) {
	d := jinja.NewDict()
	d.Set("role", m.Role)
	if err := m.setContent(d, caps); err != nil {
		return nil, err
	}
	if m.Reasoning != "" {
		d.Set("reasoning_content", m.Reasoning)
	}
	if len(m.ToolCalls) > 0 {
		calls := jinja.NewList()
		for i := range m.ToolCalls {
			c, err := m.ToolCalls[i].value()
			if err != nil {
				return nil, fmt.Errorf("tool_calls[%d]: %w", i, err)
			}
			calls.Items = append(calls.Items, c)
		}
		d.Set("tool_calls", calls)
	}
	for key, text := range map[string]string{"tool_call_id": m.ToolCallID, "name": m.Name} {
		if text != "" {
			d.Set(key, text)
		}
	}
	for _, f := range m.Extra {
		v, err := jinja.FromJSON(f.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		d.Set(f.Name, v)
	}
	return d, nil
}

func (m *Message) setContent(d *jinja.Dict, caps Capabilities) error {
	parts := m.Parts
	if parts == nil && caps.Parts {
		parts = []Part{TextPart(m.Content)}
	}
	allText := true
	for _, p := range parts {
		allText = allText && p.Type == "text"
	}
	if parts == nil || allText && !caps.Parts && !caps.listed() {
		d.Set("content", m.text())
		return nil
	}
	list := jinja.NewList()
	for i, p := range parts {
		if p.Raw == nil {
			item := jinja.NewDict()
			item.Set("type", p.Type)
			item.Set("text", p.Text)
			list.Items = append(list.Items, item)
			continue
		}
		v, err := jinja.FromJSON(p.Raw)
		if err != nil {
			return fmt.Errorf("content[%d]: %w", i, err)
		}
		list.Items = append(list.Items, v)
	}
	d.Set("content", list)
	return nil
}

// listed is false: a template that takes text is given text, although some take both.
func (Capabilities) listed() bool { return false }

// value is the call as a template sees it. Arguments that are a text that holds JSON become that JSON's value.
func (c *ToolCall) value() (jinja.Value, error) {
	call, function := jinja.NewDict(), jinja.NewDict()
	if c.ID != "" {
		call.Set("id", c.ID)
	}
	kind := c.Type
	if kind == "" {
		kind = "function"
	}
	call.Set("type", kind)
	function.Set("name", c.Name)
	raw := c.Arguments
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	args, err := jinja.FromJSON(raw)
	if err != nil {
		return nil, fmt.Errorf("arguments of %q: %w", c.Name, err)
	}
	function.Set("arguments", args)
	call.Set("function", function)
	return call, nil
}
