package chat

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	enginechat "github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/tui/conversation"
)

// purpose is what the input is for. The zero value is a new message.
type purpose struct {
	label string
	done  func(text string) tea.Cmd // takes what was entered
	draft string                    // the message that was being typed before
	empty bool                      // an empty text counts too
}

func (p *purpose) free() bool { return p.label == "" }

// ask uses the input for something else, beginning with a text.
func (v *View) ask(label, text string, empty bool, done func(string) tea.Cmd) {
	draft := v.input.Text()
	if !v.asks.free() || strings.HasPrefix(draft, "/") {
		draft = v.asks.draft
	}
	v.asks = purpose{label, done, draft, empty}
	v.leaveTurns()
	v.input.Set(text)
	v.hints = hints{}
}

// leaveInput gives up what the input is used for, and the list of completions.
func (v *View) leaveInput() {
	if !v.asks.free() {
		v.input.Set(v.asks.draft)
		v.asks = purpose{}
	} else if v.panel.open {
		v.panel.open = false
	}
	v.hints = hints{}
}

// enter takes what was typed: a command, a message, or what was asked for.
func (v *View) enter() tea.Cmd {
	text := v.input.Text()
	if !v.asks.free() {
		if strings.TrimSpace(text) == "" && !v.asks.empty {
			return nil
		}
		done := v.asks.done
		v.leaveInput()
		return done(text)
	}
	switch {
	case strings.TrimSpace(text) == "":
		return nil
	case isCommand(text):
		v.hints = hints{}
		remembered := v.remember(v.input.Take())
		return tea.Batch(remembered, v.command(text))
	case v.Busy():
		return nil
	}
	v.hints = hints{}
	text = v.input.Take()
	return tea.Batch(v.remember(text), v.say(strings.TrimPrefix(text, "/"))) // a message that begins with a slash has two
}

// remember is a command that puts a text into the history.
func (v *View) remember(text string) tea.Cmd {
	h := v.options.History
	if h == nil {
		return nil
	}
	return func() tea.Msg {
		if err := h.Add(text); err != nil {
			return failedMsg{fmt.Errorf("the history was not written: %w", err)}
		}
		return nil
	}
}

// say adds a message of the user, and asks for an answer. Where the last message was never answered, it is another branch.
func (v *View) say(text string) tea.Cmd {
	parent := 0
	if leaf := v.tree().Leaf(); leaf != nil {
		if parent = leaf.ID; leaf.Message.Role == "user" {
			parent = leaf.Parent
		}
	}
	return v.sayAt(parent, text)
}

// sayAt is say at another place of the tree.
func (v *View) sayAt(parent int, text string) tea.Cmd {
	v.tree().Add(parent, enginechat.Message{Role: "user", Content: text})
	v.rounds = 0
	return v.answer()
}

// last is the last turn that is such; nil where there is none.
func (v *View) last(such func(*conversation.Turn) bool) *conversation.Turn {
	path := v.tree().Path()
	for i := len(path) - 1; i >= 0; i-- {
		if such(path[i]) {
			return path[i]
		}
	}
	return nil
}

// lastOf is the last turn of a role.
func (v *View) lastOf(role string) *conversation.Turn {
	return v.last(func(t *conversation.Turn) bool { return t.Message.Role == role })
}

// lastBranching is the last turn that has other branches.
func (v *View) lastBranching() *conversation.Turn {
	return v.last(func(t *conversation.Turn) bool { return len(v.tree().Branches(t)) > 1 })
}
