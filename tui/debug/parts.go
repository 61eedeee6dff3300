package debug

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/scroll"
)

// part is a piece of an input that can be edited.
type part struct {
	name  string // "user", "assistant", ... of a message; else what it is
	text  string
	index int // of a message, else -1
	set   func(in *debug.Input, text string) error
	err   error // of the text as it is
}

// parts are the pieces of an input, and the one that is chosen.
type parts struct {
	list   []part
	at     scroll.List
	editor *editor.Editor // of the chosen part, or nil
}

func (p *parts) editing() bool { return p.editor != nil }

// err is the first fault of a part.
func (p *parts) err() error {
	for _, x := range p.list {
		if x.err != nil {
			return fmt.Errorf("%s: %w", x.name, x.err)
		}
	}
	return nil
}

func (p *parts) chosen() *part {
	p.at.Cursor = max(0, min(p.at.Cursor, len(p.list)-1))
	return &p.list[p.at.Cursor]
}

// messageFields are the messages of an input, each as its fields: what an editor does not know stays.
func messageFields(in *debug.Input) (list []map[string]json.RawMessage) {
	_ = json.Unmarshal(in.Messages, &list) // Render tells what is wrong
	for i := range list {
		if list[i] == nil { // null
			list[i] = map[string]json.RawMessage{}
		}
	}
	return list
}

// read makes the parts of an input. A text that is wrong, and so no part of the input, is kept.
func (p *parts) read(in *debug.Input, template string) {
	wrong := slices.DeleteFunc(slices.Clone(p.list), func(x part) bool { return x.err == nil || x.index >= 0 })
	p.fill(in, template)
	for _, old := range wrong {
		if i := slices.IndexFunc(p.list, func(x part) bool { return x.index < 0 && x.name == old.name }); i >= 0 {
			p.list[i].text, p.list[i].err = old.text, old.err
		}
	}
	p.chosen()
}

func (p *parts) fill(in *debug.Input, own string) {
	p.list = p.list[:0]
	template := own
	switch messages := messageFields(in); {
	case in.Prompt != "":
		p.add(part{name: "prompt", text: in.Prompt, index: -1, set: func(in *debug.Input, text string) error { in.Prompt = text; return nil }})
	default:
		for i, m := range messages {
			p.add(message(i, m))
		}
	}
	if in.Template != "" {
		template = in.Template
	}
	for _, x := range []struct {
		name, text string
		set        func(in *debug.Input, text string) error
	}{
		{"tools", indented(in.Tools), func(in *debug.Input, text string) error { return setJSON(&in.Tools, text, '[') }},
		{"kwargs", indented(in.Kwargs), func(in *debug.Input, text string) error { return setJSON(&in.Kwargs, text, '{') }},
		{"template", template, func(in *debug.Input, text string) error {
			if in.Template = text; text == own {
				in.Template = ""
			}
			return nil
		}},
		{"settings", settingsOf(in), setSettings},
		{"grammar", in.Grammar, func(in *debug.Input, text string) error { in.Grammar = text; return nil }},
		{"schema", indented(in.Schema), func(in *debug.Input, text string) error { return setJSON(&in.Schema, text, '{') }},
	} {
		p.add(part{name: x.name, text: x.text, index: -1, set: x.set})
	}
}

func (p *parts) add(x part) { p.list = append(p.list, x) }

// message is the part of a message's text. One whose content is a list is edited as JSON.
func message(i int, fields map[string]json.RawMessage) part {
	role := ""
	_ = json.Unmarshal(fields["role"], &role) // Render tells
	x := part{name: role, index: i}
	if json.Unmarshal(fields["content"], &x.text) != nil {
		x.text = indented(fields["content"])
		x.set = func(in *debug.Input, text string) error {
			var content json.RawMessage
			if err := setJSON(&content, text, '['); err != nil {
				return err
			}
			return setField(in, i, "content", content)
		}
		return x
	}
	x.set = func(in *debug.Input, text string) error { return setField(in, i, "content", quote(text)) }
	return x
}

// setField sets a field of a message.
func setField(in *debug.Input, i int, name string, value json.RawMessage) error {
	list := messageFields(in)
	list[i][name] = value
	return setMessages(in, list)
}

func setMessages(in *debug.Input, list []map[string]json.RawMessage) (err error) {
	in.Messages, err = debug.Encode(list)
	return err
}

func quote(text string) json.RawMessage {
	data, _ := debug.Encode(text) // a text can always be written
	return data
}

// setJSON takes a text that must be JSON of a kind; an empty one is none.
func setJSON(to *json.RawMessage, text string, open byte) error {
	data := bytes.TrimSpace([]byte(text))
	if len(data) == 0 {
		*to = nil
		return nil
	}
	var any json.RawMessage
	if err := json.Unmarshal(data, &any); err != nil {
		return err
	}
	if data[0] != open {
		return fmt.Errorf("must begin with %c", open)
	}
	*to = data
	return nil
}

func indented(data json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, data, "", "  ") != nil {
		return string(data)
	}
	return b.String()
}

// settings are what of an input is numbers and words.
type settings struct {
	MaxTokens int             `json:"max_tokens"`
	Stop      []string        `json:"stop"`
	Thinking  string          `json:"reasoning"`
	IgnoreEOG bool            `json:"ignore_eos"`
	Sampling  *debug.Sampling `json:"sampling"`
}

func settingsOf(in *debug.Input) string {
	data, err := debug.Encode(settings{in.MaxTokens, in.Stop, in.Thinking, in.IgnoreEOG, &in.Sampling})
	if err != nil {
		return ""
	}
	return indented(data)
}

func setSettings(in *debug.Input, text string) error {
	sampling := in.Sampling
	s := settings{Sampling: &sampling}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return err
	}
	if d.More() {
		return errors.New("more text after the object")
	}
	in.MaxTokens, in.Stop, in.Thinking, in.IgnoreEOG, in.Sampling = s.MaxTokens, s.Stop, s.Thinking, s.IgnoreEOG, sampling
	return nil
}

// roles are those that t goes through.
var roles = []string{"user", "assistant", "system", "tool"}

// nextRole is the role after another.
func nextRole(role string) string { return roles[(slices.Index(roles, role)+1)%len(roles)] }
