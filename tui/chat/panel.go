package chat

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/tui/scroll"
)

// panel shows the parameters of sampling, and what each sampler does to the candidates for one token: the first of the last
// answer, or one further on.
type panel struct {
	open  bool
	list  scroll.List
	place int // of the token in the last answer
	asked int // the number of the last preview that was asked for
	seen  preview
}

// shownCandidates is how many candidates are looked at.
const shownCandidates = 20

func (v *View) togglePanel() tea.Cmd {
	if v.panel.open && v.focus == onPanel {
		v.panel.open, v.focus = false, onInput
		return nil
	}
	v.leaveTurns()
	v.panel.open, v.focus = true, onPanel
	return v.preview()
}

func (v *View) sampler(argument string) tea.Cmd {
	name, value, spaced := strings.Cut(argument, " ")
	if !spaced {
		name, value, spaced = strings.Cut(argument, "=")
	}
	switch {
	case argument == "":
		v.panel.open, v.focus = true, onPanel
	case !spaced:
		v.note("/sampler wants a parameter and its value, such as: /sampler top_k 20")
		return nil
	default:
		if err := setSampling(&v.request, name, strings.TrimSpace(value)); err != nil {
			v.note(err.Error())
			return nil
		}
		v.speed = name + " is " + strings.TrimSpace(value)
	}
	return v.preview()
}

// panelKey turns knobs.
func (v *View) panelKey(name string) tea.Cmd {
	p := &v.panel
	k := &knobs[p.list.Cursor]
	switch name {
	case "left", "h", "-":
		k.set(&v.request, k.value(&v.request)-k.step)
	case "right", "l", "+":
		k.set(&v.request, k.value(&v.request)+k.step)
	case "backspace", "d":
		base := v.options.Request
		k.set(&v.request, k.value(&base))
	case "[", ",":
		p.place = max(p.place-1, 0)
	case "]", ".":
		p.place++
	case "enter":
		v.ask(k.name, k.text(&v.request), false, func(text string) tea.Cmd {
			if err := k.read(&v.request, text); err != nil {
				v.note(err.Error())
			}
			v.focus = onPanel
			return v.preview()
		})
		return nil
	case "tab":
		v.focus = onInput
		return nil
	case "esc", "q":
		p.open, v.focus = false, onInput
		return nil
	default:
		p.list.Press(name, len(knobs), 8)
		return nil
	}
	return v.preview()
}
