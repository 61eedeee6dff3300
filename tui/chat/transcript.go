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

// transcript is the conversation above the input: a component with its own scroll position. An entry is drawn when it
// comes into view, and again only when it or the width changes: a conversation of any length scrolls and resizes at once.
type transcript struct {
	theme         theme.Theme
	entries       []*entry
	unfold        bool               // reasoning is shown
	follow        bool               // the end is kept in view
	top           position           // first visible line when it is not
	width, height int                // of the last drawing
	markup        *markdown.Renderer // for markupW
	markupW       int
}

// position is a line of an entry.
type position struct{ entry, line int }

func (p position) before(q position) bool {
	return p.entry < q.entry || p.entry == q.entry && p.line < q.line
}

func (t *transcript) add(e entry)  { t.entries = append(t.entries, &e) }
func (t *transcript) last() *entry { return t.entries[len(t.entries)-1] }

// clear removes everything.
func (t *transcript) clear() { t.entries, t.top, t.follow = nil, position{}, true }

// lines are those of an entry at the width of the last drawing.
func (t *transcript) lines(entry int) []string { return t.draw(t.entries[entry], t.width) }

// scroll moves by lines; at the end the view follows again.
func (t *transcript) scroll(lines int) {
	if t.width == 0 || len(t.entries) == 0 {
		return
	}
	t.top, t.follow = t.move(t.top, lines), false
}

// page is how far a page key goes: two lines stay in view.
func (t *transcript) page() int { return max(t.height-2, 1) }

// toStart and toEnd go to the first and to the last line.
func (t *transcript) toStart() { t.top, t.follow = position{}, false }
func (t *transcript) toEnd()   { t.follow = true }

// move is the position a number of lines away from p, within the conversation.
func (t *transcript) move(p position, by int) position {
	p.line += by
	for p.line < 0 && p.entry > 0 {
		p.entry--
		p.line += len(t.lines(p.entry))
	}
	for p.entry < len(t.entries)-1 && p.line >= len(t.lines(p.entry)) {
		p.line -= len(t.lines(p.entry))
		p.entry++
	}
	p.line = min(max(p.line, 0), len(t.lines(p.entry))-1)
	return p
}

// end is the position from which the last lines fill the screen.
func (t *transcript) end() position {
	left := t.height
	for i := len(t.entries) - 1; i >= 0; i-- {
		n := len(t.lines(i))
		if n >= left {
			return position{i, n - left}
		}
		left -= n
	}
	return position{}
}

// render draws the visible part: height lines of at most width cells.
func (t *transcript) render(width, height int) string {
	t.width, t.height = width, height
	if end := t.end(); t.follow || !t.top.before(end) {
		t.top, t.follow = end, true
	}
	var lines []string
	for i := t.top.entry; i < len(t.entries) && len(lines) < height; i++ {
		from := 0
		if i == t.top.entry { // the entry may have become shorter
			from = min(t.top.line, len(t.lines(i))-1)
		}
		lines = append(lines, t.lines(i)[from:]...)
	}
	return strings.Join(cells.Block(lines, height), "\n")
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
