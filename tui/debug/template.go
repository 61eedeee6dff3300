package debug

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/engine/chat/jinja"
	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/pane"
	"github.com/llamakit/llamakit/tui/printable"
	"github.com/llamakit/llamakit/tui/scroll"
)

// preview is what the input is rendered to.
type preview struct {
	asked  int // number of the latest question
	prompt *debug.Prompt
	own    *debug.Prompt // by the model's template, while two are shown
	err    error         // of prompt
	ownErr error
	both   bool
	scroll scroll.Text
	drawn  map[flowKey][]string
}

// flowKey is what a drawn text depends on.
type flowKey struct {
	prompt *debug.Prompt
	width  int
}

// flow draws a text once: long ones take their time.
func (p *preview) flow(v *View, prompt *debug.Prompt, width int) []string {
	key := flowKey{prompt, width}
	if lines, ok := p.drawn[key]; ok {
		return lines
	}
	if len(p.drawn) > 3 { // two texts at two widths
		clear(p.drawn)
	}
	if p.drawn == nil {
		p.drawn = map[flowKey][]string{}
	}
	p.drawn[key] = v.flow(prompt.Tokens, width)
	return p.drawn[key]
}

// renderedMsg is an answer to the question with this number.
type renderedMsg struct {
	asked       int
	prompt, own *debug.Prompt
	err, ownErr error
}

func (p *preview) take(m renderedMsg) {
	if m.asked == p.asked {
		p.prompt, p.own, p.err, p.ownErr = m.prompt, m.own, m.err, m.ownErr
	}
}

// render asks for the preview of the input as it is now.
func (v *View) render() tea.Cmd {
	v.preview.asked++
	m, in, both := renderedMsg{asked: v.preview.asked}, v.input, v.preview.both
	if in.Prompt == "" && len(in.Messages) == 0 {
		v.preview.prompt, v.preview.own, v.preview.err = nil, nil, nil
		return nil
	}
	return func() tea.Msg {
		ctx, cancel := context.WithCancel(v.ctx)
		defer cancel()
		if m.prompt, m.err = v.runner.Render(ctx, in); both {
			own := in
			own.Template = ""
			m.own, m.ownErr = v.runner.Render(ctx, own)
		}
		return m
	}
}

func (v *View) templateKey(name string) tea.Cmd {
	switch name {
	case "up", "k":
		v.parts.cursor--
	case "down", "j":
		v.parts.cursor++
	case "enter", "e":
		v.parts.editor = &editor.Editor{}
		v.parts.editor.Set(v.parts.chosen().text)
	case "a":
		return v.addMessage()
	case "x":
		return v.change(func(list []map[string]json.RawMessage, i int) []map[string]json.RawMessage {
			return append(list[:i:i], list[i+1:]...)
		})
	case "t":
		return v.change(func(list []map[string]json.RawMessage, i int) []map[string]json.RawMessage {
			list[i]["role"] = quote(nextRole(v.parts.chosen().name))
			return list
		})
	case "v":
		v.preview.both = !v.preview.both
		return v.render()
	case "pgup", "pgdown", "home", "end":
		v.preview.scroll.Press(name, 1<<20, 10)
	}
	v.parts.chosen()
	return nil
}

// addMessage adds a message behind the last, from whose turn it is, and edits it.
func (v *View) addMessage() tea.Cmd {
	if v.input.Prompt != "" {
		v.said = "a plain prompt has no messages"
		return nil
	}
	list := messageFields(&v.input)
	role := "user"
	if n := len(list); n > 0 && string(list[n-1]["role"]) == `"user"` {
		role = "assistant"
	}
	list = append(list, map[string]json.RawMessage{"role": quote(role), "content": quote("")})
	v.failed = setMessages(&v.input, list)
	v.parts.read(&v.input, v.runner.TemplateSource())
	v.parts.cursor = len(list) - 1
	v.parts.editor = &editor.Editor{}
	return v.render()
}

// change changes the list of messages where a message is chosen.
func (v *View) change(f func(list []map[string]json.RawMessage, i int) []map[string]json.RawMessage) tea.Cmd {
	i := v.parts.chosen().index
	if i < 0 {
		return nil
	}
	list := f(messageFields(&v.input), i)
	if len(list) == 0 {
		v.input.Messages = nil
	} else {
		v.failed = setMessages(&v.input, list)
	}
	v.parts.read(&v.input, v.runner.TemplateSource())
	return v.render()
}

// edit hands a key to the editor. The input changes with every key, as far as the text is right.
func (v *View) edit(msg tea.KeyMsg) tea.Cmd {
	p := &v.parts
	switch msg.String() {
	case "esc":
		p.editor = nil
		return nil
	case "enter":
		p.editor.Insert("\n")
	case "ctrl+g":
		v.goToFault()
	default:
		p.editor.Press(msg)
	}
	x := p.chosen()
	if p.editor.Text() == x.text {
		return nil
	}
	x.text = p.editor.Text()
	if x.err = x.set(&v.input, x.text); x.err != nil {
		return nil
	}
	return v.render()
}

// goToFault moves to where the template is wrong.
func (v *View) goToFault() {
	var fault *jinja.Error
	if v.parts.chosen().name == "template" && errors.As(v.preview.err, &fault) {
		v.parts.editor.Go(fault.Line, fault.Column)
	}
}

// templateBlock draws the parts and what they are rendered to, side by side where there is room.
func (v *View) templateBlock(width, height int) []string {
	left, right := pane.Split(width, 0.4, 38)
	if right == 0 {
		above := min(len(v.parts.list)+1, max(3, height/3))
		if v.parts.editing() {
			above = max(3, height/2)
		}
		return append(cells.Block(v.partLines(width, above), above), v.previewLines(width, height-above)...)
	}
	a, b := v.partLines(left, height), v.previewLines(right-2, height)
	return strings.Split(pane.Beside(strings.Join(a, "\n"), strings.Join(b, "\n"), left, " │ ", height), "\n")
}

// partLines lists the parts, or shows the one that is edited.
func (v *View) partLines(width, height int) []string {
	p := &v.parts
	if p.editing() {
		x := p.chosen()
		line, column := p.editor.Position()
		lines := []string{v.theme.Key.Render(pane.Rule(fmt.Sprintf("editing %s %d:%d", printable.Line(x.name), line, column), width))}
		if x.err != nil {
			for _, l := range cells.Wrap(printable.Line(x.err.Error()), width) {
				lines = append(lines, v.theme.Error.Render(l))
			}
		}
		look := editor.Look{Placeholder: "empty", Dim: func(s string) string { return v.theme.Faint.Render(s) }, Cursor: v.theme.Cursor}
		return append(lines, p.editor.Render(width, max(1, height-len(lines)), look)...)
	}
	p.chosen()
	lines := []string{v.theme.Faint.Render(pane.Rule("input", width))}
	from := max(0, p.cursor-(height-2))
	for i := from; i < len(p.list); i++ {
		lines = append(lines, v.partLine(i, width))
	}
	return lines[:min(len(lines), height)]
}

func (v *View) partLine(i, width int) string {
	x := &v.parts.list[i]
	mark, text := "  ", printable.Line(x.text)
	if i == v.parts.cursor {
		mark = "› "
	}
	switch {
	case x.name == "template" && v.input.Template == "":
		text = "the model's, " + lineCount(x.text)
	case x.name == "template" || x.name == "tools" && x.text != "":
		text = "edited, " + lineCount(x.text)
	case x.name == "settings":
		s := &v.input.Sampling
		text = fmt.Sprintf("temp %g, seed %d, top_k %d", s.Temperature, s.Seed, s.TopK)
	case x.text == "":
		text = "-"
	}
	line := cells.Fit(mark+cells.Fit(printable.Line(x.name), 10)+" "+text, width)
	switch {
	case x.err != nil:
		return v.theme.Error.Render(line)
	case i == v.parts.cursor:
		return v.theme.Key.Render(line)
	case x.index < 0:
		return v.theme.Faint.Render(line)
	}
	return line
}

func lineCount(text string) string {
	if n := strings.Count(text, "\n") + 1; n != 1 {
		return fmt.Sprintf("%d lines", n)
	}
	return "1 line"
}

// previewLines shows the rendered text, or two of them.
func (v *View) previewLines(width, height int) []string {
	p := &v.preview
	if !p.both {
		title := "rendered"
		if p.prompt != nil {
			title = fmt.Sprintf("%s: %d tokens", p.prompt.Template, len(p.prompt.Tokens))
		}
		return v.rendered(title, p.prompt, p.err, width, height)
	}
	if v.input.Template == "" {
		p := v.rendered("the model's template", p.own, p.ownErr, width, height-1)
		return append([]string{v.theme.Faint.Render(cells.Truncate("no other template: edit the part of this name", width))}, p...)
	}
	left, right := pane.Split(width, 0.5, 24)
	if right == 0 {
		half := height / 2
		return append(cells.Block(v.rendered("the model's template", p.own, p.ownErr, width, half), half), v.rendered("the edited template", p.prompt, p.err, width, height-half)...)
	}
	a := v.rendered("the model's template", p.own, p.ownErr, left, height)
	b := v.rendered("the edited template", p.prompt, p.err, right-2, height)
	return strings.Split(pane.Beside(strings.Join(a, "\n"), strings.Join(b, "\n"), left, " │ ", height), "\n")
}

// rendered draws a text with its special tokens, what there is to say of it, and its fault.
func (v *View) rendered(title string, p *debug.Prompt, err error, width, height int) []string {
	lines := []string{v.theme.Faint.Render(pane.Rule(title, width))}
	if err != nil {
		for _, l := range cells.Wrap(printable.Line(err.Error()), width) {
			lines = append(lines, v.theme.Error.Render(l))
		}
		return cells.Block(lines, height)
	}
	if p == nil {
		return cells.Block(append(lines, v.theme.Faint.Render(cells.Truncate("a adds a message", width))), height)
	}
	var notes []string
	for _, note := range warnings(p) {
		for i, l := range cells.Wrap(note, width-2) {
			notes = append(notes, v.theme.Error.Render([2]string{"! ", "  "}[min(i, 1)]+l))
		}
	}
	notes = notes[:min(len(notes), max(0, height/2))]
	text := v.preview.flow(v, p, width)
	from, to := v.preview.scroll.Window(len(text), max(1, height-1-len(notes)))
	lines = append(lines, text[from:to]...)
	return append(cells.Block(lines, max(0, height-len(notes))), notes...)
}

// warnings are what there is to say of a prompt.
func warnings(p *debug.Prompt) (list []string) {
	for _, a := range p.Attempts {
		what := "it stays text"
		if a.Taken {
			what = "it becomes the control token"
		}
		list = append(list, fmt.Sprintf("attempt: message %d (%s) spells %s: %s", a.Message, printable.Line(a.Role), printable.Line(a.Text), what))
	}
	for _, n := range p.Notes {
		list = append(list, printable.Line(n))
	}
	return list
}
