package editor

import (
	"strings"

	"github.com/llamakit/llamakit/tui/cells"
)

// Look is how an editor is drawn.
type Look struct {
	Prompt      string              // stands before the first row; the rows below are indented as far
	Placeholder string              // shown while there is no text
	Dim         func(string) string // for the placeholder
	Cursor      func(string) string // for the character under the cursor
}

// row is one line on the screen: text[from:to].
type row struct{ from, to int }

// Height is the number of rows that the text takes at a width.
func (e *Editor) Height(width int, look Look) int {
	return len(e.rows(width - cells.Width(look.Prompt)))
}

// Render draws at most height rows of at most width cells, the cursor's among them.
func (e *Editor) Render(width, height int, look Look) []string {
	indent := strings.Repeat(" ", cells.Width(look.Prompt))
	inner := width - len(indent)
	if e.text == "" {
		hint := cells.Truncate(look.Placeholder, inner-1)
		return []string{look.Prompt + look.Cursor(" ") + look.Dim(hint)}
	}
	rows := e.rows(inner)
	at := e.cursorRow(rows)
	first := min(max(0, at-height+1), max(0, len(rows)-height))
	var out []string
	for i := first; i < min(first+height, len(rows)); i++ {
		head := indent
		if i == 0 {
			head = look.Prompt
		}
		out = append(out, head+e.renderRow(rows[i], i == at, look.Cursor))
	}
	return out
}

// rows cuts the text into rows of at most width cells, one of which is left free for the cursor after the last character.
func (e *Editor) rows(width int) []row {
	width = max(width-1, 2)
	var out []row
	from, used := 0, 0
	for at := 0; at < len(e.text); {
		g, w := cells.First(e.text[at:])
		w = shownWidth(g, w)
		if g == "\n" {
			out = append(out, row{from, at})
			from, used = at+1, 0
		} else if used+w > width {
			out = append(out, row{from, at})
			from, used = at, w
		} else {
			used += w
		}
		at += len(g)
	}
	return append(out, row{from, len(e.text)})
}

// cursorRow is the row that the cursor is in: the later one where a row goes on in the next.
func (e *Editor) cursorRow(rows []row) int {
	at := 0
	for i, r := range rows {
		if r.from <= e.cursor {
			at = i
		}
	}
	return at
}

func (e *Editor) renderRow(r row, hasCursor bool, cursor func(string) string) string {
	if !hasCursor {
		return shown(e.text[r.from:r.to])
	}
	under, after := " ", ""
	if e.cursor < r.to {
		g, _ := cells.First(e.text[e.cursor:])
		under, after = shown(g), shown(e.text[e.cursor+len(g):r.to])
	}
	return shown(e.text[r.from:e.cursor]) + cursor(under) + after
}

// shown is text as it is drawn: a tab is one blank here, so that rows and columns stay simple.
func shown(text string) string { return strings.ReplaceAll(text, "\t", " ") }

func shownWidth(g string, w int) int {
	if g == "\t" {
		return 1
	}
	return w
}
