package debug

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/printable"
)

// prompt asks for a line.
type prompt struct {
	title string
	line  editor.Editor
	then  func(text string) tea.Cmd
}

// savedMsg says how saving went.
type savedMsg struct {
	name string
	err  error
}

// askName asks for the name of a recording.
func (v *View) askName() tea.Cmd {
	run := v.current()
	if run == nil || v.options.Save == nil || v.work != nil {
		v.said = "there is no run to save"
		return nil
	}
	p := &prompt{title: "save as", then: func(name string) tea.Cmd {
		return func() tea.Msg {
			sealed := *run // the screen reads the other
			if err := v.runner.Seal(&sealed); err != nil {
				return savedMsg{err: err}
			}
			return savedMsg{name, v.options.Save(name, &sealed)}
		}
	}}
	p.line.Set(fmt.Sprintf("run-%d.json", run.Input.Sampling.Seed))
	v.asks = p
	return nil
}

// answer handles a key of the line that is asked for.
func (v *View) answer(msg tea.KeyMsg) tea.Cmd {
	p := v.asks
	switch editor.KeyName(msg) {
	case "esc":
		v.asks = nil
	case "enter":
		v.asks = nil
		if name := strings.TrimSpace(p.line.Text()); name != "" {
			return p.then(name)
		}
	default:
		p.line.Press(msg)
	}
	return nil
}

// askLine draws the line.
func (v *View) askLine(width int) string {
	look := editor.Look{Prompt: printable.Line(v.asks.title) + ": ", Dim: v.theme.Dim, Cursor: v.theme.Cursor}
	return v.asks.line.Render(width, 1, look)[0]
}
