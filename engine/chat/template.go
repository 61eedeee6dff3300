package chat

import (
	"context"
	"strings"

	"github.com/llamakit/llamakit/engine/chat/jinja"
)

// Template is a parsed chat template. Any number of goroutines may render it at once.
type Template struct {
	// Builtin says that the model has no template and ChatML is used instead.
	Builtin bool

	source string
	parsed *jinja.Template
	broken error // why parsed is nil: told when a conversation is rendered
	caps   Capabilities
}

// ChatML is the template of models that have none: the format that most of them know.
const ChatML = `{%- for message in messages %}
    {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
{%- endif %}
`

// Parse reads a template; an empty one stands for ChatML. A template with a mistake is an error with line and column.
func Parse(source string) (*Template, error) {
	t := &Template{source: source}
	if source == "" {
		t.source, t.Builtin = ChatML, true
	}
	var err error
	if t.parsed, err = jinja.Parse("chat template", t.source); err != nil {
		return nil, err
	}
	t.caps = t.probe()
	return t, nil
}

// ParseLate is Parse for a model's own template: a mistake is kept, and told when a conversation is rendered, so that raw
// completion works nevertheless.
func ParseLate(source string) *Template {
	t, err := Parse(source)
	if err != nil {
		return &Template{source: source, broken: err}
	}
	return t
}

// Source is the template's text.
func (t *Template) Source() string { return t.source }

// Err is what is wrong with a template that ParseLate kept, or nil.
func (t *Template) Err() error { return t.broken }

// UsesClock reports whether the text depends on the time of day, which makes a cached prompt useless a second later.
func (t *Template) UsesClock() bool { return t.parsed != nil && t.parsed.UsesClock() }

// Capabilities are what a template can express.
type Capabilities struct {
	System   bool // a system message appears in the text
	Tools    bool // it reads tool definitions
	Calls    bool // it reads tool calls
	Thinking bool // enable_thinking changes the text
	Parts    bool // content must be a list of parts
}

// Capabilities says what the template can express, found by rendering small conversations.
func (t *Template) Capabilities() Capabilities { return t.caps }

// probe renders conversations with a word that the template must pass on.
func (t *Template) probe() Capabilities {
	const word = "Zebrafinch"
	text := func(in Input) string {
		in.AddGenerationPrompt = true
		s, err := t.render(context.Background(), in)
		if err != nil {
			return ""
		}
		return s
	}
	user := Message{Role: "user", Content: word}
	c := Capabilities{Tools: t.parsed.Names("tools"), Calls: strings.Contains(t.source, "tool_calls")}
	c.System = strings.Contains(text(Input{Messages: []Message{{Role: "system", Content: word}, {Role: "user", Content: "Hi"}}}), word)
	asText := text(Input{Messages: []Message{user}})
	c.Parts = !strings.Contains(asText, word) &&
		strings.Contains(text(Input{Messages: []Message{{Role: "user", Parts: []Part{TextPart(word)}}}}), word)
	if t.parsed.Names("enable_thinking") {
		off := text(Input{Messages: []Message{user}, Kwargs: map[string]any{"enable_thinking": false}})
		c.Thinking = off != text(Input{Messages: []Message{user}, Kwargs: map[string]any{"enable_thinking": true}})
	}
	return c
}

// Render returns the text of a conversation. A template's own refusal is an error of kind jinja.RaisedError, with the
// template's sentence.
//
// Content that is a list of text parts is joined by newlines where the template wants text, and text becomes a list of one
// part where it wants a list.
func (t *Template) Render(ctx context.Context, in Input) (string, error) {
	if t.broken != nil {
		return "", t.broken
	}
	if in.ContinueFinalMessage {
		return t.renderPrefix(ctx, in)
	}
	return t.render(ctx, in)
}

func (t *Template) render(ctx context.Context, in Input) (string, error) {
	vars, err := in.vars(t.caps)
	if err != nil {
		return "", err
	}
	return t.parsed.Render(ctx, vars, &jinja.Options{Now: in.Now, Lenient: in.Lenient})
}

// renderPrefix ends the text with the last message's own, so that the model goes on with it: what the template writes after
// a message is cut off.
func (t *Template) renderPrefix(ctx context.Context, in Input) (string, error) {
	last := in.Messages[len(in.Messages)-1].text()
	in.AddGenerationPrompt = false
	text, err := t.render(ctx, in)
	if err != nil || last == "" {
		return text, err
	}
	at := strings.LastIndex(text, last)
	if at < 0 {
		last = strings.TrimSpace(last)
		at = strings.LastIndex(text, last)
	}
	if at < 0 {
		return text, nil
	}
	return text[:at+len(last)], nil
}
