package chat

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/conversation"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/picker"
)

// chooseTurn moves the keys to the turns, at the last one.
func (v *View) chooseTurn() {
	if len(v.tree().Path()) == 0 {
		return
	}
	v.focus, v.chosen = onTurns, len(v.script.entries)
	v.moveTurn(-1)
}

// moveTurn goes to the next turn up or down; notes are passed over.
func (v *View) moveTurn(by int) {
	for at := v.chosen + by; at >= 0 && at < len(v.script.entries); at += by {
		if v.script.entries[at].turn != nil {
			v.chosen, v.script.chosen = at, v.script.entries[at]
			v.script.into(at)
			return
		}
	}
}

func (v *View) leaveTurns() {
	v.focus, v.script.chosen = onInput, nil
}

func (v *View) turnHint() string {
	return "e edit  r again  ←→ branches  c copy  s system  Esc back"
}

// turnKey acts on the turn under the cursor.
func (v *View) turnKey(name string) tea.Cmd {
	turn := v.script.chosen.turn
	switch name {
	case "up", "k":
		v.moveTurn(-1)
	case "down", "j":
		v.moveTurn(1)
	case "left", "h":
		v.walk(turn, -1)
	case "right", "l":
		v.walk(turn, 1)
	case "e", "enter":
		v.leaveTurns()
		v.edit(turn)
	case "r":
		v.leaveTurns()
		return v.regenerate(turn)
	case "c", "y":
		v.leaveTurns()
		return v.copyTurn(turn)
	case "s":
		v.leaveTurns()
		v.editSystem()
	case "esc", "tab", "q", "i":
		v.leaveTurns()
	}
	return nil
}

// walk looks at another branch of a turn; the cursor stays at its place.
func (v *View) walk(turn *conversation.Turn, by int) {
	if v.Busy() {
		return
	}
	other := v.tree().Walk(turn, by)
	if other == nil {
		return
	}
	v.show()
	for i, e := range v.script.entries {
		if e.turn == other && v.focus == onTurns {
			v.chosen, v.script.chosen = i, e
			v.script.into(i)
		}
	}
}

// walkLast walks the branches of the last turn that has some.
func (v *View) walkLast(by int) {
	if turn := v.lastBranching(); turn != nil {
		v.walk(turn, by)
	}
}

// edit says a turn otherwise: another branch, which is answered where the turn is the user's or a tool's.
func (v *View) edit(turn *conversation.Turn) {
	if v.Busy() || turn == nil {
		return
	}
	v.ask("edit", turn.Message.Text(), false, func(text string) tea.Cmd {
		m := turn.Message
		m.Content, m.Parts = text, nil
		v.tree().Add(turn.Parent, m)
		if v.rounds = 0; m.Role != "assistant" {
			return v.answer()
		}
		v.show()
		return v.save()
	})
}

// regenerate asks for an answer again, or for one to a message.
func (v *View) regenerate(turn *conversation.Turn) tea.Cmd {
	if v.Busy() {
		return nil
	}
	if turn.Message.Role == "assistant" {
		return v.againAt(turn)
	}
	v.tree().Cut(turn.ID)
	v.rounds = 0
	return v.answer()
}

// editSystem says what the model is told first.
func (v *View) editSystem() {
	v.ask("system", v.session.System, true, v.setSystem)
}

func (v *View) setSystem(text string) tea.Cmd {
	v.session.System = strings.TrimSpace(text)
	v.show()
	return v.save()
}

// copyTurn asks the terminal to copy what was said.
func (v *View) copyTurn(turn *conversation.Turn) tea.Cmd {
	if turn == nil {
		v.note("there is nothing to copy")
		return nil
	}
	return v.copied(turn.Message.Text())
}

func (v *View) copied(text string) tea.Cmd {
	v.speed = fmt.Sprintf("copied %d characters, if the terminal lets programs copy", len([]rune(text)))
	return tui.Copy(text)
}

// chooseBranch lists the ends of all branches.
func (v *View) chooseBranch() {
	var items []picker.Item
	for _, turn := range v.tree().Turns() {
		if turn.Next > 0 {
			continue
		}
		path := v.tree().PathTo(turn.ID)
		var places []string
		for _, p := range path {
			if len(v.tree().Branches(p)) > 1 {
				places = append(places, fmt.Sprint(v.tree().Place(p)+1))
			}
		}
		items = append(items, picker.Item{ID: fmt.Sprint(turn.ID), Name: strings.Join(places, ".") + "  " + excerpt(turn.Message.Text()),
			Note: fmt.Sprintf("%d turns", len(path))})
	}
	v.choose("Branch", items, func(i picker.Item) tea.Cmd {
		id := 0
		_, _ = fmt.Sscan(i.ID, &id) // it was printed above
		v.tree().Look(id)
		v.show()
		return v.save()
	})
}

// excerpt is the beginning of a text on one line.
func excerpt(text string) string {
	const longest = 80
	runes := []rune(strings.Join(strings.Fields(text), " "))
	return string(runes[:min(len(runes), longest)])
}

// choose lays a list over the view.
func (v *View) choose(title string, items []picker.Item, picked func(picker.Item) tea.Cmd) {
	v.pick, v.picked = picker.New(title, items), picked
}

func (v *View) pickKey(msg tea.KeyMsg) tea.Cmd {
	switch editor.KeyName(msg) {
	case "esc":
		v.pick = nil
	case "enter":
		item, ok := v.pick.Chosen()
		if v.pick = nil; ok {
			return v.picked(item)
		}
	default:
		v.pick.Press(msg)
	}
	return nil
}
