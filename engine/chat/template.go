package chat

import (
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/engine/chat/calls"
	"github.com/llamakit/llamakit/engine/chat/jinja"
)

// Template is a parsed chat template. It does not change; any number of goroutines may render it at once.
type Template struct {
	// Builtin says that the model has no template and ChatML is used instead.
	Builtin bool

	name    string
	source  string
	parsed  *jinja.Template
	broken  error // why parsed is nil: told when a conversation is rendered
	caps    Capabilities
	fields  []string // names beside reasoning_content under which the template reads reasoning
	format  *calls.Format
	known   bool      // the format is the template's own
	toolUse *Template // the variant for conversations with tools, or nil
}

// Parse reads a template; an empty one stands for ChatML. A template with a mistake is a [*jinja.Error] with line and column.
func Parse(source string) (*Template, error) {
	if source == "" {
		t, err := ParseNamed("built-in ChatML", ChatML)
		if err != nil {
			return nil, err
		}
		t.Builtin = true
		return t, nil
	}
	return ParseNamed("chat template", source)
}

// ParseNamed is Parse with a name, which errors begin with.
func ParseNamed(name, source string) (*Template, error) {
	parsed, err := jinja.Parse(name, source)
	if err != nil {
		return nil, err
	}
	t := &Template{name: name, source: source, parsed: parsed}
	for _, field := range []string{"thinking", "reasoning"} {
		if parsed.Mentions(field) && !parsed.Mentions("reasoning_content") {
			t.fields = append(t.fields, field)
		}
	}
	t.caps = t.probe()
	return t, nil
}

// ParseSet reads the named templates of a model that has several: "default", and "tool_use" for conversations with tools.
// Other names are ignored, but for the only one of a model without a default.
func ParseSet(sources map[string]string) (*Template, error) {
	source, ok := sources["default"]
	name := "default"
	if !ok && len(sources) == 1 {
		for name, source = range sources {
			ok = true
		}
	}
	if !ok {
		return nil, fmt.Errorf("chat templates: none of the %d is called \"default\"", len(sources))
	}
	t, err := ParseNamed("chat template "+name, source)
	if err != nil {
		return nil, err
	}
	if tools, ok := sources["tool_use"]; ok && name != "tool_use" {
		if t.toolUse, err = ParseNamed("chat template tool_use", tools); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// ParseLate is Parse for a model's own template: a mistake is kept, and told when a conversation is rendered, so that raw
// completion works nevertheless.
func ParseLate(source string) *Template {
	t, err := Parse(source)
	if err != nil {
		return &Template{name: "chat template", source: source, broken: err, format: calls.Hermes}
	}
	return t
}

// functions reports that the template is FireFunction's, which has variables of its own.
func (t *Template) functions() bool { return strings.Contains(t.source, "functools[") }

// Name is what errors call the template: "chat template", or "built-in ChatML" where the model has none.
func (t *Template) Name() string { return t.name }

// Source is the template's text.
func (t *Template) Source() string { return t.source }

// Err is what is wrong with a template that ParseLate kept, or nil.
func (t *Template) Err() error { return t.broken }

// UsesClock reports whether the text depends on the time of day, not just the date: a cached prompt is then of no use a
// moment later.
func (t *Template) UsesClock() bool {
	return t.parsed != nil && t.parsed.UsesClock() || t.toolUse != nil && t.toolUse.UsesClock()
}

// CallFormat is how the model writes calls of tools: as the template shows them, or in the format of Hermes.
func (t *Template) CallFormat() *calls.Format {
	if t.toolUse != nil {
		return t.toolUse.format
	}
	return t.format
}

// forInput is the template itself, or its variant for tools.
func (t *Template) forInput(in *Input) *Template {
	if t.toolUse != nil && len(in.Tools) > 0 {
		return t.toolUse
	}
	return t
}
