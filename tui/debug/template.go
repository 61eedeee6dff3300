package debug

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/engine/chat/jinja"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/pane"
	"github.com/llamakit/llamakit/tui/printable"
	"github.com/llamakit/llamakit/tui/scroll"
)

func (v *View) templateKey(name string) tea.Cmd {
	switch name = scroll.Arrow(name); name {
	case "up", "down":
		v.parts.at.Press(name, len(v.parts.list), 1)
	case "enter", "e":
		v.parts.editor = &editor.Editor{}
		if v.parts.editor.Set(v.parts.chosen().text); v.parts.editor.Text() != v.parts.chosen().text {
			v.said = "control codes are shown as pictures, and become those once the text is edited"
		}
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
	v.parts.at.Cursor = len(list) - 1
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
	switch editor.KeyName(msg) {
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
	return pane.Beside(a, b, left, " │ ", height)
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
		look := editor.Look{Placeholder: "empty", Dim: v.theme.Dim, Cursor: v.theme.Cursor}
		return append(lines, p.editor.Render(width, max(1, height-len(lines)), look)...)
	}
	lines := []string{v.theme.Faint.Render(pane.Rule("input", width))}
	from, to := p.at.Window(len(p.list), height-1)
	for i := from; i < to; i++ {
		lines = append(lines, v.partLine(i, width))
	}
	return lines[:min(len(lines), height)]
}

func (v *View) partLine(i, width int) string {
	x := &v.parts.list[i]
	mark, text := "  ", printable.Line(x.text)
	if i == v.parts.at.Cursor {
		mark = "› "
	}
	switch {
	case x.name == "template" && v.input.Template == "":
		text = "the model's, " + lineCount(x.text)
	case x.name == "template" || x.name == "tools" && x.text != "":
		text = "edited, " + lineCount(x.text)
	case x.name == "settings":
		s, seed := &v.input.Sampling, "random"
		if s.Seed >= 0 {
			seed = fmt.Sprint(s.Seed)
		}
		text = fmt.Sprintf("temp %g, seed %s, top_k %d", s.Temperature, seed, s.TopK)
	case x.text == "":
		text = "-"
	}
	line := cells.Fit(mark+cells.Fit(printable.Line(x.name), 10)+" "+text, width)
	switch {
	case x.err != nil:
		return v.theme.Error.Render(line)
	case i == v.parts.at.Cursor:
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
