package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/markdown"
	"github.com/llamakit/llamakit/tui/printable"
)

// draw returns the lines of an entry, from the last time where nothing changed.
func (t *transcript) draw(e *entry, width int) []string {
	m := e.content()
	now := drawn{width: width, text: len(m.Content), reasoning: len(m.Reasoning), calls: len(m.ToolCalls), unfold: t.unfold,
		chosen: e == t.chosen, at: e.at}
	if e.turn != nil {
		now.err, now.running = e.turn.Err, e.turn == t.running
	}
	if e.lines != nil && e.state == now {
		return e.lines
	}
	e.state = now
	lines := []string{t.heading(e, m, width)}
	if m.Reasoning != "" {
		lines = append(lines, t.reasoning(m, now.running, width)...)
	}
	lines = append(lines, t.said(e, m, now.running, width)...)
	for _, c := range m.ToolCalls {
		lines = append(lines, t.card(c.Name, indented(c.Object()), width)...)
	}
	for _, l := range cells.Wrap(printable.Text(now.err), width) {
		if now.err != "" {
			lines = append(lines, t.theme.Error.Render(l))
		}
	}
	if m.Role == "tool" {
		lines = lines[1:] // the card says it
	}
	e.lines = append(lines, "")
	return e.lines
}

// said is the text of an entry.
func (t *transcript) said(e *entry, m chat.Message, running bool, width int) []string {
	switch text := m.Text(); {
	case m.Role == "assistant":
		return t.answer(e, m.Content, running, width)
	case m.Role == "tool":
		title := "result of " + m.Name
		if e == t.chosen {
			title = "▶ " + title
		}
		return t.card(title, text, width)
	case m.Role == "note":
		return columns(printable.Text(text), width)
	case text != "":
		return cells.Wrap(printable.Text(text), width)
	}
	return nil
}

func (t *transcript) heading(e *entry, m chat.Message, width int) string {
	style, name := t.theme.Faint, printable.Line(m.Role)
	switch m.Role {
	case "user":
		style, name = t.theme.User, "You"
	case "assistant":
		style, name = t.theme.Model, "Model"
	}
	if e.at != "" {
		name += " ‹" + e.at + "›"
	}
	if e == t.chosen {
		return t.theme.Key.Render(cells.Truncate("▶ "+name, width))
	}
	return style.Render(cells.Truncate(name, width))
}

// columns draws lines; one with a tab in it is two columns.
func columns(text string, width int) (out []string) {
	left := min(30, width/2)
	for line := range strings.SplitSeq(text, "\n") {
		name, does, two := strings.Cut(line, "\t")
		if !two || name == "" {
			out = append(out, cells.Wrap(line, width)...)
			continue
		}
		for _, l := range cells.Wrap(does, max(width-left, 2)) {
			out = append(out, cells.Truncate(cells.Fit(name, left)+l, width))
			name = ""
		}
	}
	return out
}

// reasoning is folded to one line unless it is asked for.
func (t *transcript) reasoning(m chat.Message, running bool, width int) []string {
	text := printable.Text(m.Reasoning)
	if !t.unfold {
		words := fmt.Sprintf("%d words", len(strings.Fields(text)))
		if words == "1 words" {
			words = "1 word"
		}
		state := "thought"
		if m.Content == "" && running {
			state = "thinking"
		}
		return []string{t.theme.Faint.Render(cells.Truncate(fmt.Sprintf("▸ %s, %s (Ctrl-R)", state, words), width))}
	}
	var out []string
	for _, l := range cells.Wrap(text, max(width-2, 2)) {
		out = append(out, t.theme.Faint.Render("│ "+l))
	}
	return out
}

// maxCard is how many lines of a card are shown while it is folded.
const maxCard = 8

// card is a box round a call or its result. Long ones are folded.
func (t *transcript) card(title, text string, width int) []string {
	body := cells.Wrap(printable.Text(text), max(width-2, 2))
	more := ""
	if len(body) > maxCard && !t.unfold {
		more = fmt.Sprintf(" %d more lines (Ctrl-R) ", len(body)-maxCard+1)
		body = body[:maxCard-1]
	}
	head := cells.Truncate("╭─ "+printable.Line(title)+" ", width)
	out := []string{t.theme.Key.Render(head + strings.Repeat("─", max(0, min(width, 40)-cells.Width(head))))}
	for _, l := range body {
		out = append(out, cells.Truncate(t.theme.Key.Render("│")+" "+l, width))
	}
	foot := cells.Truncate("╰─"+more, width)
	return append(out, t.theme.Key.Render(foot+strings.Repeat("─", max(0, min(width, 40)-cells.Width(foot)))))
}

// indented is JSON on lines of its own, or as it is where it is short.
func indented(object string) string {
	var b bytes.Buffer
	if len(object) < 60 || json.Indent(&b, []byte(object), "", "  ") != nil {
		return object
	}
	return b.String()
}

// answer draws Markdown while it comes.
func (t *transcript) answer(e *entry, text string, running bool, width int) []string {
	if t.markup == nil || t.markupW != width {
		t.markup, t.markupW = markdown.New(width, t.theme.Colours), width
	}
	if e.blocksW != width || e.consumed > len(text) {
		e.blocks, e.blocksW, e.consumed, e.growing = nil, width, 0, markdown.Growing{}
	}
	finished, used := e.growing.Take(t.markup, text[e.consumed:])
	e.blocks, e.consumed = append(e.blocks, finished...), e.consumed+used
	lines := append(slices.Clone(e.blocks), e.growing.Rest(t.markup, text[e.consumed:], !running)...)
	if n := len(lines); n > 0 && lines[n-1] == "" {
		lines = lines[:n-1] // without the blank line after the last block
	}
	return lines
}
