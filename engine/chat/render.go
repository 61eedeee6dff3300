package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/llamakit/llamakit/engine/chat/jinja"
)

// ErrInput is wrapped by errors of conversations that no template could render.
var ErrInput = errors.New("bad conversation")

// Refusal is the error of a template that does not take the conversation: it called raise_exception.
type Refusal struct {
	Sentence string // the template's own words
	Message  int    // index of the message that the template was at, or -1 when that is not known
	Role     string // of that message
	Err      *jinja.Error
}

func (r *Refusal) Error() string {
	if r.Message < 0 {
		return "the chat template refuses the conversation: " + r.Sentence
	}
	return fmt.Sprintf("the chat template refuses messages[%d] (%s): %s", r.Message, r.Role, r.Sentence)
}

// Unwrap returns where in the template it was.
func (r *Refusal) Unwrap() error { return r.Err }

// Render returns the text of a conversation. A template's refusal is a [*Refusal]; its fault a [*jinja.Error]; what is wrong
// with the conversation itself wraps [ErrInput].
//
// Where a template and the input disagree in form, the template gets what it wants, unless Input.Exact is set:
//
//   - Content that is a list stays a list where the template handles lists. Where it takes only text, the text parts are
//     joined by newlines (as llama.cpp does), and parts that are not text are an error. Text becomes a list of one part
//     where the template takes only lists.
//   - The arguments of calls become a mapping, or a text, whichever the template writes as JSON.
//   - Content that is null or empty is "", or none beside tool calls where the template would else lose them.
//   - Tools, calls and results that the template does not show are told in the text of messages, calls as [Template.CallFormat]
//     has them; so are tools whose definitions it fails at, even with an empty description. Where it shows one call a message, every
//     call becomes one, with its result behind it. Ids of calls are changed where the model's family has a form for them. A result
//     that answers no call, and a call that is none, are errors.
func (t *Template) Render(ctx context.Context, in Input) (string, error) {
	if t.broken != nil {
		return "", t.broken
	}
	if len(in.Messages) == 0 {
		return "", fmt.Errorf("%w: no messages", ErrInput)
	}
	t = t.forInput(&in)
	if !in.Exact && in.hasTools() {
		return t.renderTools(ctx, in)
	}
	return t.renderInput(ctx, in)
}

func (t *Template) renderInput(ctx context.Context, in Input) (string, error) {
	if in.ContinueFinalMessage {
		return t.renderOpen(ctx, in)
	}
	return t.render(ctx, in)
}

// RenderGuarded is Render, and returns the places in the text that Input.Guard found.
func (t *Template) RenderGuarded(ctx context.Context, in Input) (text string, barriers []int, err error) {
	if in.Guard != nil && t.broken == nil {
		if err := t.forInput(&in).prepare(&in); err != nil {
			return "", nil, err
		}
	}
	if text, err = t.Render(ctx, in); err != nil {
		return "", nil, err
	}
	if in.mark != "" {
		text, barriers = unmark(text, in.mark)
	}
	return text, barriers, nil
}

func (t *Template) shape(in *Input) shape {
	if in.Exact {
		return shape{exact: true}
	}
	c := t.caps
	return shape{lists: c.Lists, parts: c.Parts, textual: c.TextArguments, null: c.NullContent, fields: t.fields, functions: t.functions()}
}

func (t *Template) render(ctx context.Context, in Input) (string, error) {
	vars, messages, err := in.vars(t.shape(&in))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrInput, err)
	}
	text, err := t.parsed.Render(ctx, vars, &jinja.Options{Now: in.Now, Lenient: !in.Strict})
	var e *jinja.Error
	if errors.As(err, &e) && e.Kind == jinja.RaisedError {
		return "", t.refusal(ctx, in, e, messages)
	}
	return text, err
}

// refusal finds the message at which a template refused: the one that its loops stood at, or else the last of the shortest
// beginning of the conversation that it refuses in the same words.
func (t *Template) refusal(ctx context.Context, in Input, e *jinja.Error, messages []jinja.Value) error {
	r := &Refusal{Sentence: e.Message, Message: -1, Err: e}
	for _, item := range e.Items {
		if d, ok := item.(*jinja.Dict); ok {
			if i := slices.Index(messages, jinja.Value(d)); i >= 0 {
				r.Message, r.Role = i, in.Messages[i].Role
				return r
			}
		}
	}
	refuses := func(n int) bool {
		part := in
		part.Messages = in.Messages[:n]
		vars, _, err := part.vars(t.shape(&in))
		if err != nil {
			return false
		}
		_, err = t.parsed.Render(ctx, vars, &jinja.Options{Now: in.Now, Lenient: !in.Strict})
		var other *jinja.Error
		return errors.As(err, &other) && other.Kind == jinja.RaisedError && other.Message == e.Message
	}
	n := 1 + sort.Search(len(in.Messages)-1, func(i int) bool { return refuses(i + 1) })
	if n < len(in.Messages) || n == 1 || !refuses(n-1) {
		r.Message, r.Role = n-1, in.Messages[n-1].Role
	}
	return r
}

// renderOpen ends the text where the last message's own text ends, so that the model goes on with it. A mark at that place is
// rendered along, and the text cut there: then it does not matter what the template does to the message.
func (t *Template) renderOpen(ctx context.Context, in Input) (string, error) {
	last := in.Messages[len(in.Messages)-1]
	if last.Role != "assistant" {
		return "", fmt.Errorf("%w: only an assistant's message can be continued, the last is from %q", ErrInput, last.Role)
	}
	mark := freeMark(&last)
	marked := in
	marked.AddGenerationPrompt, marked.ContinueFinalMessage = false, false
	marked.Messages = append([]Message(nil), in.Messages...)
	for _, reasoning := range []bool{true, false} {
		if reasoning && !last.onlyReasoning() {
			continue
		}
		marked.Messages[len(marked.Messages)-1] = last.withMark(mark, reasoning)
		text, err := t.render(ctx, marked)
		if err != nil {
			return "", err
		}
		if at := strings.LastIndex(text, mark); at >= 0 {
			return text[:at], nil
		}
	}
	return t.appendOpen(ctx, in, last)
}

// appendOpen is for templates that do not show the last message: its text follows the beginning of a new turn.
func (t *Template) appendOpen(ctx context.Context, in Input, last Message) (string, error) {
	content, err := last.text()
	if err != nil {
		return "", fmt.Errorf("%w: messages[%d]: %w", ErrInput, len(in.Messages)-1, err)
	}
	in.Messages = in.Messages[:len(in.Messages)-1]
	if len(in.Messages) == 0 {
		return "", fmt.Errorf("%w: the chat template does not show the message that is to be continued", ErrInput)
	}
	in.AddGenerationPrompt, in.ContinueFinalMessage = true, false
	text, err := t.render(ctx, in)
	return text + in.marked(content, in.tags), err
}

// freeMark is a word that the message does not contain.
func freeMark(m *Message) string {
	mark := "Qx7GoOnHere"
	all := m.Content + m.Reasoning
	for _, p := range m.Parts {
		all += p.Text
	}
	for strings.Contains(all, mark) {
		mark += "7"
	}
	return mark
}

func (m *Message) onlyReasoning() bool {
	text, err := m.text()
	return m.Reasoning != "" && err == nil && text == "" && len(m.ToolCalls) == 0
}

// withMark is the message with the mark after its last text.
func (m Message) withMark(mark string, reasoning bool) Message {
	if reasoning {
		m.Reasoning += mark
		return m
	}
	if m.keys != nil && !m.has("content") {
		m.keys = append(append([]string(nil), m.keys...), "content")
	}
	if m.Parts == nil {
		m.Content += mark
		return m
	}
	m.Parts = append([]Part(nil), m.Parts...)
	for i := len(m.Parts) - 1; i >= 0; i-- {
		if p := &m.Parts[i]; p.Type == "text" {
			p.Text += mark
			return m
		}
	}
	m.Parts = append(m.Parts, TextPart(mark))
	return m
}
