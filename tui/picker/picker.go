// Package picker is a list from which one item is chosen, narrowed by what is typed.
package picker

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/printable"
	"github.com/llamakit/llamakit/tui/scroll"
	"github.com/llamakit/llamakit/tui/theme"
)

// Item is a line of the list.
type Item struct {
	Name string // what is matched and shown first
	Note string // shown behind it, matched too
	ID   string // the owner's
}

// Picker is the list. Change its items with Set.
type Picker struct {
	Title  string
	items  []Item
	shown  []Item // that match the filter
	filter editor.Editor
	list   scroll.List
	height int // of the list when it was drawn last
}

// New makes a picker.
func New(title string, items []Item) *Picker {
	p := &Picker{Title: title}
	p.Set(items)
	return p
}

// Set replaces the items.
func (p *Picker) Set(items []Item) {
	p.items = items
	p.match()
}

// match keeps the items in which every word of the filter occurs, in whatever case.
func (p *Picker) match() {
	words := strings.Fields(strings.ToLower(p.filter.Text()))
	p.shown = slices.DeleteFunc(slices.Clone(p.items), func(i Item) bool {
		text := strings.ToLower(i.Name + " " + i.Note)
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	})
}

// Press moves in the list or edits the filter.
func (p *Picker) Press(k tea.KeyMsg) {
	switch key := editor.KeyName(k); {
	case key != "home" && key != "end" && p.list.Press(key, len(p.shown), p.height):
	case p.filter.Press(k):
		p.list.Cursor = 0
		p.match()
	}
}

// Chosen is the item under the cursor.
func (p *Picker) Chosen() (Item, bool) {
	if p.list.Cursor >= len(p.shown) {
		return Item{}, false
	}
	return p.shown[p.list.Cursor], true
}

// Render draws the filter and the list below it: height lines of at most width cells.
func (p *Picker) Render(width, height int, t theme.Theme) string {
	look := editor.Look{Prompt: cells.Truncate(p.Title+": ", width/2), Placeholder: "type to narrow, Enter takes, Esc leaves", Dim: t.Dim, Cursor: t.Cursor}
	lines := p.filter.Render(width, 1, look)
	p.height = max(height-1, 1)
	from, to := p.list.Window(len(p.shown), p.height)
	name := 0
	for _, i := range p.shown[from:to] {
		name = max(name, cells.Width(printable.Line(i.Name)))
	}
	name = min(name, max(width-12, width/2))
	for n := from; n < to; n++ {
		lines = append(lines, p.line(p.shown[n], n == p.list.Cursor, name, width, t))
	}
	if len(p.shown) == 0 {
		lines = append(lines, t.Faint.Render(cells.Truncate("  nothing matches", width)))
	}
	return strings.Join(cells.Block(lines, height), "\n")
}

func (p *Picker) line(i Item, chosen bool, name, width int, t theme.Theme) string {
	mark := "  "
	if chosen {
		mark = "▸ "
	}
	head := cells.Truncate(mark+cells.Fit(printable.Line(i.Name), name), width)
	if chosen {
		head = t.Key.Render(head)
	}
	return head + t.Faint.Render(cells.Truncate("  "+printable.Line(i.Note), width-cells.Width(head)))
}
