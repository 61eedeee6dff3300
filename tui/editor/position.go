package editor

import (
	"strings"
	"unicode/utf8"
)

// Position is where the cursor is: line and column, in characters, both from 1.
func (e *Editor) Position() (line, column int) {
	return 1 + strings.Count(e.text[:e.cursor], "\n"), 1 + utf8.RuneCountInString(e.text[e.lineStart():e.cursor])
}

// Go moves the cursor to a line and a column, or as far as there are any.
func (e *Editor) Go(line, column int) {
	at := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(e.text[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	for ; column > 1 && at < len(e.text) && e.text[at] != '\n'; column-- {
		_, n := utf8.DecodeRuneInString(e.text[at:])
		at += n
	}
	e.cursor = e.border(at)
}
