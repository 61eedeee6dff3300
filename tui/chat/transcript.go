package chat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/markdown"
	"github.com/llamakit/llamakit/tui/printable"
	"github.com/llamakit/llamakit/tui/theme"
)

// entry is one turn of the conversation.
type entry struct {
	role, text, reasoning string
	finished              bool // an assistant's turn that is complete is drawn as Markdown
	err                   string

	lines []string // as drawn last, for the state below
	state drawn

	blocks   []string // lines of the finished blocks of Markdown, at blocksW
	blocksW  int
	consumed int // bytes of text in blocks
}

// drawn is what the lines of an entry depend on.
type drawn struct {
	width, text, reasoning int
	finished, unfold       bool
}

// transcript is the conversation above the input: a component with its own scroll position. An entry is drawn again only when
// it changes, so that a conversation of any length scrolls at once.
type transcript struct {
	theme   theme.Theme
	entries []*entry
	unfold  bool               // reasoning is shown
	follow  bool               // the end is kept in view
	top     int                // first visible line when it is not
	height  int                // of the last drawing
	markup  *markdown.Renderer // for markupW
	markupW int
}

func (t *transcript) add(e entry)  { t.entries = append(t.entries, &e) }
func (t *transcript) last() *entry { return t.entries[len(t.entries)-1] }

// scroll moves by lines; at the end the view follows again.
func (t *transcript) scroll(lines int) {
	t.top = max(0, t.top+lines)
	t.follow = false
}

// render draws the visible part: height lines of at most width cells.
func (t *transcript) render(width, height int) string {
	t.height = height
	var lines []string
	for _, e := range t.entries {
		lines = append(lines, t.draw(e, width)...)
	}
	end := max(0, len(lines)-height)
	if t.follow || t.top >= end {
		t.top, t.follow = end, true
	}
	return strings.Join(cells.Block(lines[t.top:], height), "\n")
}

// draw returns the lines of an entry, from the last time where nothing changed.
func (t *transcript) draw(e *entry, width int) []string {
	now := drawn{width, len(e.text), len(e.reasoning), e.finished, t.unfold}
	if e.lines != nil && e.state == now {
		return e.lines
	}
	e.state = now
	lines := []string{t.heading(e, width)}
	if e.reasoning != "" {
		lines = append(lines, t.reasoning(e, width)...)
	}
	switch {
	case e.role == "assistant":
		lines = append(lines, t.answer(e, width)...)
	case e.text != "":
		lines = append(lines, cells.Wrap(printable.Text(e.text), width)...)
	}
	if e.err != "" {
		for _, l := range cells.Wrap(printable.Text(e.err), width) {
			lines = append(lines, t.theme.Error.Render(l))
		}
	}
	e.lines = append(lines, "")
	return e.lines
}

func (t *transcript) heading(e *entry, width int) string {
	switch e.role {
	case "user":
		return t.theme.User.Render(cells.Truncate("You", width))
	case "assistant":
		return t.theme.Model.Render(cells.Truncate("Model", width))
	}
	return t.theme.Faint.Render(cells.Truncate(printable.Line(e.role), width))
}

// reasoning is folded to one line unless it is asked for, or still all there is.
func (t *transcript) reasoning(e *entry, width int) []string {
	text := printable.Text(e.reasoning)
	if !t.unfold {
		words := len(strings.Fields(text))
		state := "thought"
		if e.text == "" && !e.finished {
			state = "thinking"
		}
		return []string{t.theme.Faint.Render(cells.Truncate(fmt.Sprintf("▸ %s, %d words (Ctrl-R)", state, words), width))}
	}
	var out []string
	for _, l := range cells.Wrap(text, max(width-2, 2)) {
		out = append(out, t.theme.Faint.Render("│ "+l))
	}
	return out
}

// answer draws Markdown block by block while it comes: a block is drawn when it is finished, the rest is plain.
func (t *transcript) answer(e *entry, width int) []string {
	if t.markup == nil || t.markupW != width {
		t.markup, t.markupW = markdown.New(width, t.theme.Colours), width
	}
	if e.blocksW != width {
		e.blocks, e.blocksW, e.consumed = nil, width, 0
	}
	finished, rest := markdown.Split(e.text[e.consumed:])
	for _, b := range finished {
		e.blocks = append(append(e.blocks, t.markup.Lines(b)...), "")
	}
	e.consumed = len(e.text) - len(rest)
	lines := slices.Clone(e.blocks)
	switch {
	case strings.TrimSpace(rest) == "":
		return lines[:max(0, len(lines)-1)] // without the blank line after the last block
	case e.finished:
		return append(lines, t.markup.Lines(rest)...)
	}
	return append(lines, cells.Wrap(printable.Text(rest), width)...)
}
