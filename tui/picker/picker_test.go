package picker

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/theme"
)

func press(p *Picker, keys ...tea.KeyMsg) {
	for _, k := range keys {
		p.Press(k)
	}
}

func typed(text string) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text)} }

func TestPicker(t *testing.T) {
	p := New("Thing", []Item{{Name: "alpha", Note: "first", ID: "1"}, {Name: "beta\x1b[2J", Note: "second", ID: "2"}, {Name: "日本", Note: "third first", ID: "3"}})
	for _, size := range [][2]int{{20, 3}, {80, 10}, {4, 2}} {
		out := p.Render(size[0], size[1], theme.Default())
		if strings.Contains(out, "\x1b[2J") || strings.Count(out, "\n")+1 != size[1] {
			t.Errorf("%v: %q", size, out)
		}
		for line := range strings.SplitSeq(out, "\n") {
			if cells.Width(line) > size[0] {
				t.Errorf("%v: %q is too wide", size, line)
			}
		}
	}
	down := tea.KeyMsg{Type: tea.KeyDown}
	press(p, down, down, down)
	if i, ok := p.Chosen(); !ok || i.ID != "3" {
		t.Errorf("chosen %+v", i)
	}
	press(p, typed("FIRST"))
	if i, _ := p.Chosen(); i.ID != "1" {
		t.Errorf("of those that match: %+v", i)
	}
	press(p, down)
	if i, _ := p.Chosen(); i.ID != "3" {
		t.Errorf("the other that matches: %+v", i)
	}
	press(p, typed(" none"))
	if _, ok := p.Chosen(); ok || !strings.Contains(p.Render(40, 5, theme.Default()), "nothing matches") {
		t.Error("something matches")
	}
	press(p, tea.KeyMsg{Type: tea.KeyCtrlU})
	p.Set([]Item{{Name: "only", ID: "9"}})
	if i, _ := p.Chosen(); i.ID != "9" {
		t.Errorf("after a change: %+v", i)
	}
}
