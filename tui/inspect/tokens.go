package inspect

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/engine/vocab"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/inspect/probe"
	"github.com/llamakit/llamakit/tui/scroll"
)

// maxTyped is how much of a text is cut into tokens while one types.
const maxTyped = 64 << 10

// tokens search the vocabulary of the shown file, or cut a text that is typed.
type tokens struct {
	*files
	job    *job // reads the vocabulary
	search *job // searches it, or cuts a text
	of     int  // the file that all is of
	all    *probe.Tokens
	err    error // why there is none

	query, text editor.Editor
	cutting     bool // the text is typed, not the query
	found       []int
	failed      error // of the query
	list        scroll.List
	height      int
}

func newTokens(f *files) *tokens {
	return &tokens{files: f, job: f.newJob(), search: f.newJob(), of: -1}
}

func (t *tokens) name() string { return "tokens" }

func (t *tokens) open() tea.Cmd {
	if t.of == t.shown && t.all != nil && t.found == nil {
		return t.look()
	}
	if t.of == t.shown && (t.all != nil || t.err != nil || t.job.busy) {
		return nil
	}
	read := t.files.tokens[t.shown]
	t.of, t.all, t.err, t.found = t.shown, nil, nil, nil
	return t.job.start(0, func(context.Context) (any, error) { return read() })
}

func (t *tokens) update(msg tea.Msg) tea.Cmd {
	if f, ok := t.job.take(msg); ok {
		if t.err = f.err; f.err == nil {
			t.all = f.value.(*probe.Tokens)
		}
		return t.look()
	}
	if f, ok := t.search.take(msg); ok {
		if t.failed = f.err; f.err == nil {
			t.found = f.value.([]int)
		}
		t.list = scroll.List{}
	}
	return nil
}

// look begins the search, or the cutting of the text.
func (t *tokens) look() tea.Cmd {
	if t.all == nil {
		return nil
	}
	all, text := t.all, t.query.Text()
	if t.cutting {
		text = t.text.Text()
	}
	cutting := t.cutting
	return t.search.start(0, func(ctx context.Context) (any, error) {
		if cutting {
			return cut(all, text)
		}
		return all.Search(ctx, text)
	})
}

// cut are the tokens of a text.
func cut(all *probe.Tokens, text string) ([]int, error) {
	if all.Vocab == nil {
		return nil, all.Err
	}
	text = strings.ToValidUTF8(text[:min(len(text), maxTyped)], "")
	var ids []int
	for _, id := range all.Vocab.Encode(text, vocab.EncodeOptions{AddSpecial: true, ParseSpecial: true}) {
		ids = append(ids, int(id))
	}
	return ids, nil
}

func (t *tokens) field() *editor.Editor {
	if t.cutting {
		return &t.text
	}
	return &t.query
}

func (t *tokens) press(k tea.KeyMsg) tea.Cmd {
	switch key := editor.KeyName(k); {
	case key == "enter":
		t.cutting = !t.cutting
		return t.look()
	case t.list.Press(key, len(t.found), t.height):
	default:
		before := t.field().Text()
		if t.field().Press(k); t.field().Text() != before {
			return t.look()
		}
	}
	return nil
}

func (t *tokens) back() {
	if t.field().Text() != "" {
		t.field().Set("")
	} else {
		t.cutting = false
	}
	t.found = nil // open will search again
}

func (t *tokens) typing() bool { return t.field().Text() != "" }

func (t *tokens) stop() {
	t.job.stop()
	t.search.stop()
}

func (t *tokens) status() string {
	switch {
	case t.search.busy:
		return "searching ..."
	case t.cutting:
		return "type a text: its tokens  Enter: search the vocabulary"
	}
	return "text  #id  /regex/  :type  Enter: cut a text  Tab: next section"
}

func (t *tokens) keys() []tui.Key {
	return []tui.Key{{Name: "letters", Does: "search: text in any case, #12 or #12-20 by id, /^ing$/ by regular expression, :control by type"},
		{Name: "Enter", Does: "type a text and see its tokens; again to search"}, {Name: "↑ ↓ PgUp PgDn", Does: "move (Home, End: to the ends)"},
		{Name: "Esc", Does: "clear the field"}}
}

func (t *tokens) render(width, height int) []string {
	switch {
	case t.err != nil:
		return append([]string{""}, t.failure(t.err, width)...)
	case t.all == nil:
		return []string{"", "reading ..."}
	}
	lines := []string{t.head(width)}
	if t.failed != nil {
		return append(append(lines, ""), t.failure(t.failed, width)...)
	}
	if t.cutting {
		lines = append(lines, t.line(width))
	}
	lines = append(lines, t.theme.Faint.Render(cells.Truncate(t.row("     id", "type", "score", "text", "in the file", width), width)))
	t.height = max(height-len(lines), 1)
	from, to := t.list.Window(len(t.found), t.height)
	for i := from; i < to; i++ {
		k, sign := t.all.Token(t.found[i]), "  "
		line := t.row(fmt.Sprintf("%7d", k.ID), k.Kind, fmt.Sprintf("%.4g", k.Score), quoted(k.Piece), gguf.Printable(k.Text), width-2)
		if i == t.list.Cursor {
			sign, line = "▸ ", t.theme.Key.Render(line)
		}
		lines = append(lines, cells.Truncate(sign+line, width))
	}
	return lines
}

// head is the field and the number of tokens.
func (t *tokens) head(width int) string {
	count := fmt.Sprintf("%d of %d", len(t.found), t.all.Len())
	look := editor.Look{Prompt: "/ ", Placeholder: "text, #id, /regex/, :type", Dim: t.theme.Dim, Cursor: t.theme.Cursor}
	if t.cutting {
		count = fmt.Sprintf("%d tokens", len(t.found))
		look.Prompt, look.Placeholder = "cut: ", "type a text"
	}
	field := t.field().Render(max(width-len(count)-2, width/2), 1, look)[0]
	return cells.Ends(field, t.theme.Faint.Render(count), width)
}

// line is the beginning of the text that is cut, with its tokens on two grounds in turn; without colours bars part them.
func (t *tokens) line(width int) string {
	var b strings.Builder
	for i, id := range t.found[:min(len(t.found), width)] {
		text := gguf.Printable(t.all.Token(id).Piece)
		switch {
		case !t.theme.Colours && i > 0:
			text = "|" + text
		case t.theme.Colours && i%2 == 1:
			text = t.theme.Cursor(text)
		}
		b.WriteString(text)
	}
	return cells.Truncate(b.String(), width)
}

// row puts the columns of a token side by side; where there is no room, the file's spelling and the type go.
func (t *tokens) row(id, kind, score, text, spelling string, width int) string {
	line := id + "  "
	if width >= 50 {
		line += cells.Fit(kind, 12) + "  "
	}
	if t.all.HasScores() && width >= 60 {
		line += cells.Right(score, 9) + "  "
	}
	room := max(width-cells.Width(line), 8)
	if width < 76 {
		return line + cells.Fit(text, room)
	}
	return line + cells.Fit(text, (room-2)/2) + "  " + cells.Fit(spelling, (room-2)/2)
}

// quoted shows where a text begins and ends.
func quoted(s string) string { return "'" + gguf.Printable(s) + "'" }
