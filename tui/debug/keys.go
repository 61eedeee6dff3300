package debug

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/scroll"
)

// key handles a key: of a question, of the part that is edited, of the whole view, or of the pane.
func (v *View) key(msg tea.KeyMsg) tea.Cmd {
	name := editor.KeyName(msg)
	v.said = ""
	if v.failed != nil && v.work == nil {
		v.failed = nil
	}
	switch {
	case v.asks != nil:
		return v.answer(msg)
	case v.parts.editing():
		return v.edit(msg)
	}
	switch name {
	case "tab":
		v.pane = (v.pane + 1) % panes
	case "shift+tab":
		v.pane = (v.pane + panes - 1) % panes
	case "1", "2", "3", "4", "5":
		v.pane = paneID(name[0] - '1')
	case "g", "ctrl+r":
		return v.runFrom()
	case "s":
		return v.askName()
	case "[", "]":
		v.walk(map[string]int{"[": -1, "]": 1}[name])
	case "m":
		v.mark()
	case "esc":
		v.Stop()
	case "q", "ctrl+d":
		if v.options.Back != "" {
			return tui.Open(v.options.Back, nil)
		}
		return tea.Quit
	default:
		return v.paneKey(name)
	}
	return v.askGrammar()
}

// runFrom runs the input. From where it is edited the view goes on to the tokens.
func (v *View) runFrom() tea.Cmd {
	cmd := v.run()
	if cmd != nil && v.pane == templatePane {
		v.pane = tokensPane
	}
	return cmd
}

func (v *View) paneKey(name string) tea.Cmd {
	switch v.pane {
	case templatePane:
		return v.templateKey(name)
	case tokensPane:
		if name == "enter" {
			v.pane = alternativesPane
		} else {
			v.tokens.press(name)
			v.choice = scroll.List{}
		}
	case alternativesPane:
		return v.alternativesKey(name)
	case whyPane:
		v.side(name)
	case comparePane:
		return v.compareKey(name)
	}
	return v.askGrammar()
}

// side moves the token by left and right.
func (v *View) side(name string) {
	if key, ok := map[string]string{"left": "up", "right": "down", "h": "up", "l": "down", "home": "home", "end": "end", "n": "n", "N": "N"}[name]; ok {
		v.tokens.press(key)
		v.choice = scroll.List{}
	}
}

// walk goes to the next run of the tree.
func (v *View) walk(by int) {
	list := v.branches()
	for i, b := range list {
		if b.tree == v.shown {
			v.shown = list[(i+by+len(list))%len(list)].tree
			v.tokens.update(v.shown.Run)
			v.choice = scroll.List{}
			return
		}
	}
}

// mark keeps the run that is looked at as A.
func (v *View) mark() {
	if run := v.current(); run != nil {
		v.diff.a, v.diff.divergence = run, nil
		v.said = fmt.Sprintf("kept as A: %d tokens; other runs are compared with it in pane 5", len(run.Answer))
	}
}
