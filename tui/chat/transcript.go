package chat

import (
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/conversation"
	"github.com/llamakit/llamakit/tui/markdown"
	"github.com/llamakit/llamakit/tui/theme"
)

// entry is a turn of the conversation as it is drawn, or a text that is not of the conversation.
type entry struct {
	turn *conversation.Turn // nil: role and text are the entry
	role string
	text string
	at   string // its place among branches, such as 2/3

	lines    []string // as drawn last, for the state below
	state    drawn
	blocks   []string // lines of the finished blocks of Markdown, at blocksW
	blocksW  int
	consumed int // bytes of text in blocks
	growing  markdown.Growing
}

// drawn is what the lines of an entry depend on.
type drawn struct {
	width, text, reasoning, calls int
	running, unfold, chosen       bool
	at, err                       string
}

// transcript is the conversation above the input: a component with its own scroll position. An entry is drawn when it
// comes into view, and again only when it or the width changes: a conversation of any length scrolls and resizes at once.
type transcript struct {
	theme         theme.Theme
	entries       []*entry
	drawn         map[*conversation.Turn]*entry // of all turns that were shown
	notes         map[int][]*entry              // by the ID of the turn that they stand behind
	running       *conversation.Turn            // the answer that comes
	chosen        *entry                        // the one under the cursor, or nil
	unfold        bool                          // reasoning is shown
	follow        bool                          // the end is kept in view
	top           position                      // first visible line when it is not
	width, height int                           // of the last drawing
	markup        *markdown.Renderer            // for markupW
	markupW       int
}

func newTranscript() transcript {
	return transcript{theme: theme.Default(), follow: true, drawn: map[*conversation.Turn]*entry{}, notes: map[int][]*entry{}}
}

// show makes the entries those of the conversation that is looked at.
func (t *transcript) show(system string, tree *conversation.Tree) {
	t.entries = append([]*entry(nil), t.notes[0]...)
	if system != "" {
		t.entries = append(t.entries, &entry{role: "system", text: system})
	}
	for _, turn := range tree.Path() {
		e := t.drawn[turn]
		if e == nil {
			e = &entry{turn: turn}
			t.drawn[turn] = e
		}
		if e.at = ""; len(tree.Branches(turn)) > 1 {
			e.at = fmt.Sprintf("%d/%d", tree.Place(turn)+1, len(tree.Branches(turn)))
		}
		t.entries = append(append(t.entries, e), t.notes[turn.ID]...)
	}
	t.top.entry = min(t.top.entry, max(len(t.entries)-1, 0))
}

// note puts a text behind a turn.
func (t *transcript) note(after int, text string) {
	t.notes[after] = append(t.notes[after], &entry{role: "note", text: text})
}

// content is what an entry says.
func (e *entry) content() chat.Message {
	if e.turn == nil {
		return chat.Message{Role: e.role, Content: e.text}
	}
	return e.turn.Message
}

// position is a line of an entry.
type position struct{ entry, line int }

func (p position) before(q position) bool {
	return p.entry < q.entry || p.entry == q.entry && p.line < q.line
}

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

// into brings an entry into view: its first line, and as much of it as there is room for.
func (t *transcript) into(entry int) {
	if t.width == 0 {
		return
	}
	if t.follow {
		t.top, t.follow = t.end(), false
	}
	first := position{entry, 0}
	last := t.move(first, min(len(t.lines(entry)), t.height)-t.height) // the top at which all of it is seen
	switch {
	case first.before(t.top):
		t.top = first
	case t.top.before(last):
		t.top = last
	}
}
