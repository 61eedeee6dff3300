package debug

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/tui/cells"
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
	return pane.Beside(a, b, left, " │ ", height)
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
