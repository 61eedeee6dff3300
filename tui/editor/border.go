package editor

import (
	"strings"

	"github.com/llamakit/llamakit/tui/cells"
)

// lineStart and lineEnd are the borders of the line that the cursor is in, without its line break.
func (e *Editor) lineStart() int { return strings.LastIndexByte(e.text[:e.cursor], '\n') + 1 }

func (e *Editor) lineEnd() int {
	if i := strings.IndexByte(e.text[e.cursor:], '\n'); i >= 0 {
		return e.cursor + i
	}
	return len(e.text)
}

// border is the first border between graphemes at or after offset.
func (e *Editor) border(offset int) int {
	at := strings.LastIndexByte(e.text[:offset], '\n') + 1
	for at < offset {
		g, _ := cells.First(e.text[at:])
		at += len(g)
	}
	return at
}

// previous is the border before the cursor.
func (e *Editor) previous() int {
	if e.cursor == 0 {
		return 0
	}
	at := e.lineStart()
	if at == e.cursor {
		return at - 1 // over the line break
	}
	last := at
	for at < e.cursor {
		g, _ := cells.First(e.text[at:])
		last, at = at, at+len(g)
	}
	return last
}

// next is the border after the cursor.
func (e *Editor) next() int {
	g, _ := cells.First(e.text[e.cursor:])
	return e.cursor + len(g)
}

// wordLeft is the beginning of the word before the cursor.
func (e *Editor) wordLeft() int {
	s := strings.TrimRight(e.text[:e.cursor], " \n\t")
	return strings.LastIndexAny(s, " \n\t") + 1
}

// wordRight is the end of the word after the cursor.
func (e *Editor) wordRight() int {
	rest := e.text[e.cursor:]
	word := strings.TrimLeft(rest, " \n\t")
	blanks := len(rest) - len(word)
	if i := strings.IndexAny(word, " \n\t"); i >= 0 {
		return e.cursor + blanks + i
	}
	return len(e.text)
}

// atColumn is the border in text[from:to] nearest to column cells from its beginning.
func (e *Editor) atColumn(from, to, column int) int {
	at := from
	for at < to {
		g, w := cells.First(e.text[at:])
		if w > column {
			break
		}
		at, column = at+len(g), column-w
	}
	return at
}
