package chat

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/editor"
)

// Keys lists the view's keys.
func (v *View) Keys() []tui.Key {
	keys := []tui.Key{{Name: "Enter", Does: "send the message"}, {Name: "Alt-Enter", Does: "new line (also Ctrl-J)"},
		{Name: "Esc", Does: "stop the answer; leave a panel, a list, an edit"},
		{Name: "Up, Down", Does: "on the first and last line of the input: earlier messages"},
		{Name: "/", Does: "commands; Tab completes them, /help lists them"},
		{Name: "PgUp, PgDn", Does: "scroll (Shift-Up, Shift-Down: by a line; Ctrl-Home, Ctrl-End: to the ends)"},
		{Name: "Tab", Does: "in an empty input: choose a turn, to edit it, ask again, walk between branches, copy"},
		{Name: "Ctrl-G", Does: "ask for the last answer again"},
		{Name: "Alt-Left, -Right", Does: "in an empty input: the branches of the last turn that has some"},
		{Name: "Ctrl-Y", Does: "copy the last answer"},
		{Name: "F2", Does: "sampling: parameters, and what each sampler does to the candidates"},
		{Name: "Ctrl-R", Does: "show or fold the reasoning and long results of tools"},
		{Name: "Ctrl-O", Does: "sessions"}, {Name: "Ctrl-L", Does: "begin a new session"}}
	if v.options.Debugger {
		keys = append(keys, tui.Key{Name: "Ctrl-D", Does: "look into the prompt with the debugger"})
	}
	return keys
}

// typing says that letters are text.
func (v *View) typing() bool { return v.pick != nil || v.focus == onInput }

// key handles what works wherever the keys go, and passes on the rest.
func (v *View) key(msg tea.KeyMsg) tea.Cmd {
	if v.pick != nil {
		return v.pickKey(msg)
	}
	name := editor.KeyName(msg)
	if action, ok := everywhere[name]; ok {
		return action(v)
	}
	if name == "esc" && v.Busy() {
		v.Stop()
		return nil
	}
	switch v.focus {
	case onTurns:
		return v.turnKey(name)
	case onPanel:
		return v.panelKey(name)
	}
	return v.inputKey(msg)
}

// everywhere are the keys that work wherever keys go.
var everywhere = map[string]func(*View) tea.Cmd{
	"pgup":       func(v *View) tea.Cmd { v.script.scroll(-v.script.page()); return nil },
	"pgdown":     func(v *View) tea.Cmd { v.script.scroll(v.script.page()); return nil },
	"shift+up":   func(v *View) tea.Cmd { v.script.scroll(-1); return nil },
	"shift+down": func(v *View) tea.Cmd { v.script.scroll(1); return nil },
	"ctrl+home":  func(v *View) tea.Cmd { v.script.toStart(); return nil },
	"ctrl+end":   func(v *View) tea.Cmd { v.script.toEnd(); return nil },
	"ctrl+r":     func(v *View) tea.Cmd { v.script.unfold = !v.script.unfold; return nil },
	"ctrl+l":     (*View).begin,
	"ctrl+g":     (*View).again,
	"ctrl+y":     func(v *View) tea.Cmd { return v.copyTurn(v.lastOf("assistant")) },
	"ctrl+o":     (*View).chooseSession,
	"ctrl+d":     (*View).debug,
	"f2":         (*View).togglePanel,
}

// inputKey edits.
func (v *View) inputKey(msg tea.KeyMsg) tea.Cmd {
	name, empty := editor.KeyName(msg), v.input.Text() == ""
	switch {
	case v.hints.press(name):
		return nil
	case name == "tab" && len(v.hints.list) > 0:
		v.input.Set(v.hints.taken(v.input.Text()))
	case name == "tab" && empty && v.asks.free():
		v.chooseTurn()
		return nil
	case name == "tab" && v.panel.open && empty:
		v.focus = onPanel
		return nil
	case (name == "alt+left" || name == "alt+right") && empty:
		v.walkLast(map[string]int{"alt+left": -1, "alt+right": 1}[name])
		return nil
	case name == "esc":
		v.leaveInput()
	case name == "enter":
		return v.enter()
	default:
		v.input.Press(msg)
	}
	v.complete()
	return nil
}

// mouse scrolls by the wheel.
func (v *View) mouse(msg tea.MouseMsg) {
	const lines = 3
	switch msg.Button {
	case tea.MouseButtonWheelUp:
		v.script.scroll(-lines)
	case tea.MouseButtonWheelDown:
		v.script.scroll(lines)
	}
}

// debug opens the debugger on the conversation, with what is typed as its last message.
func (v *View) debug() tea.Cmd {
	if !v.options.Debugger || v.Busy() {
		return nil
	}
	return tui.Open("debug", v.present())
}
