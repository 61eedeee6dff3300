package editor

import tea "github.com/charmbracelet/bubbletea"

// Press edits by a key and reports whether the key means anything here. Enter does not: what it does is the owner's to
// say.
func (e *Editor) Press(k tea.KeyMsg) bool {
	if k.Type == tea.KeyRunes && !k.Alt || k.Type == tea.KeySpace {
		e.Insert(string(k.Runes))
		return true
	}
	if action, ok := bindings[KeyName(k)]; ok {
		action(e)
		return true
	}
	return false
}

// KeyName is the name of a key, such as "enter" or "e"; "" for text of several characters, which arrives as one message where it
// is pasted or typed fast, and is no key even if it reads like the name of one.
func KeyName(k tea.KeyMsg) string {
	if k.Type == tea.KeyRunes && (k.Paste || len(k.Runes) != 1) {
		return ""
	}
	return k.String()
}

// bindings are the keys of a line editor, as readline has them.
var bindings = map[string]func(*Editor){
	"left": (*Editor).Left, "ctrl+b": (*Editor).Left,
	"right": (*Editor).Right, "ctrl+f": (*Editor).Right,
	"up": (*Editor).Up, "ctrl+p": (*Editor).Up,
	"down": (*Editor).Down, "ctrl+n": (*Editor).Down,
	"home": (*Editor).Home, "ctrl+a": (*Editor).Home,
	"end": (*Editor).End, "ctrl+e": (*Editor).End,
	"alt+left": (*Editor).WordLeft, "ctrl+left": (*Editor).WordLeft, "alt+b": (*Editor).WordLeft,
	"alt+right": (*Editor).WordRight, "ctrl+right": (*Editor).WordRight, "alt+f": (*Editor).WordRight,
	"backspace": (*Editor).Backspace, "ctrl+h": (*Editor).Backspace,
	"delete": (*Editor).Delete,
	"ctrl+w": (*Editor).DeleteWord, "alt+backspace": (*Editor).DeleteWord,
	"ctrl+u":    (*Editor).DeleteToStart,
	"ctrl+k":    (*Editor).DeleteToEnd,
	"tab":       func(e *Editor) { e.Insert("\t") },
	"ctrl+j":    func(e *Editor) { e.Insert("\n") },
	"alt+enter": func(e *Editor) { e.Insert("\n") },
}
