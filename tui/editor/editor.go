// Package editor is a multi-line input field that edits by grapheme: one press of backspace removes what the terminal
// shows as one character.
//
// An Editor holds the text and a cursor. Insert, Backspace and the moves change them; Press does what a key says; Render
// draws the part round the cursor. Positions are byte offsets at borders between graphemes. Foreign text may be pasted:
// control codes in it are replaced when they arrive (package printable).
package editor

import (
	"strings"

	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/printable"
)

// MaxText is the largest text that an editor takes, in bytes. An insertion beyond it is refused.
const MaxText = 1 << 20

// Editor is an input field. The zero value is empty.
type Editor struct {
	text   string
	cursor int

	history []string // what was taken before, oldest first
	recall  int      // how far back in history the text is from; 0 when it is new
	draft   string   // the new text while an older one is shown
}

// Text is what was typed.
func (e *Editor) Text() string { return e.text }

// Set replaces the text; the cursor goes to the end.
func (e *Editor) Set(text string) {
	e.text, e.cursor = "", 0
	e.Insert(text)
}

// Take returns the text, puts it into the history and empties the field.
func (e *Editor) Take() string {
	text := e.text
	if n := len(e.history); text != "" && (n == 0 || e.history[n-1] != text) {
		e.history = append(e.history, text)
	}
	e.recall, e.draft = 0, ""
	e.Set("")
	return text
}

// Remember makes texts, the oldest first, what Up leads to.
func (e *Editor) Remember(texts []string) { e.history, e.recall = texts, 0 }

// Insert puts text at the cursor.
func (e *Editor) Insert(text string) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	text = printable.Text(text)
	if len(e.text)+len(text) > MaxText {
		return
	}
	e.text = e.text[:e.cursor] + text + e.text[e.cursor:]
	e.cursor = e.border(e.cursor + len(text)) // a combining mark joins the character before it
}

// Backspace removes the grapheme before the cursor.
func (e *Editor) Backspace() { e.cut(e.previous(), e.cursor) }

// Delete removes the grapheme at the cursor.
func (e *Editor) Delete() { e.cut(e.cursor, e.next()) }

// DeleteWord removes the word before the cursor, with the blanks after it.
func (e *Editor) DeleteWord() { e.cut(e.wordLeft(), e.cursor) }

// DeleteToStart removes the line up to the cursor.
func (e *Editor) DeleteToStart() { e.cut(e.lineStart(), e.cursor) }

// DeleteToEnd removes the line from the cursor on; at its end the line break.
func (e *Editor) DeleteToEnd() {
	end := e.lineEnd()
	if end == e.cursor {
		end = e.next()
	}
	e.cut(e.cursor, end)
}

func (e *Editor) cut(from, to int) {
	e.text = e.text[:from] + e.text[to:]
	e.cursor = e.border(from)
}

// Left, Right and the rest move the cursor.
func (e *Editor) Left()      { e.cursor = e.previous() }
func (e *Editor) Right()     { e.cursor = e.next() }
func (e *Editor) WordLeft()  { e.cursor = e.border(e.wordLeft()) }
func (e *Editor) WordRight() { e.cursor = e.border(e.wordRight()) }
func (e *Editor) Home()      { e.cursor = e.lineStart() }
func (e *Editor) End()       { e.cursor = e.lineEnd() }

// Up moves to the line above, or from the first line to the text that was taken before this one.
func (e *Editor) Up() {
	start := e.lineStart()
	if start == 0 {
		e.recallOlder()
		return
	}
	column := cells.Width(e.text[start:e.cursor])
	above := strings.LastIndexByte(e.text[:start-1], '\n') + 1
	e.cursor = e.atColumn(above, start-1, column)
}

// Down moves to the line below, or from the last line to the text that was taken after this one.
func (e *Editor) Down() {
	end := e.lineEnd()
	if end == len(e.text) {
		e.recallNewer()
		return
	}
	column := cells.Width(e.text[e.lineStart():e.cursor])
	below, stop := end+1, len(e.text)
	if i := strings.IndexByte(e.text[below:], '\n'); i >= 0 {
		stop = below + i
	}
	e.cursor = e.atColumn(below, stop, column)
}

func (e *Editor) recallOlder() {
	if e.recall == len(e.history) {
		return
	}
	if e.recall == 0 {
		e.draft = e.text
	}
	e.recall++
	e.Set(e.history[len(e.history)-e.recall])
}

func (e *Editor) recallNewer() {
	if e.recall == 0 {
		return
	}
	e.recall--
	if e.recall == 0 {
		e.Set(e.draft)
		return
	}
	e.Set(e.history[len(e.history)-e.recall])
}
