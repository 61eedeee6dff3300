package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/inspect/probe"
	"github.com/llamakit/llamakit/tui/scroll"
	"github.com/llamakit/llamakit/tui/theme"
)

// column is one of a browser. A width of 0 takes what the others leave.
type column struct {
	title    string
	width    int
	least    int // of a width of 0; 0: leastFlexible
	most     int // likewise; 0: no limit
	right    bool
	optional bool // left out where there is no room
	cell     func(row int) string
}

const (
	leastFlexible = 14
	leastColumn   = 6
	columnGap     = 2
)

// browser is a table with a line to type a filter in above it.
type browser struct {
	theme   *theme.Theme
	table   *probe.Table
	columns []column
	filter  editor.Editor
	list    scroll.List
	height  int // of the list when it was drawn last
}

// row is the number of the chosen one in the source; ok is false where nothing is shown.
func (b *browser) row() (row int, ok bool) {
	if b.table.Len() == 0 {
		return 0, false
	}
	return b.table.Row(min(b.list.Cursor, b.table.Len()-1)), true
}

// press moves, sorts or edits the filter.
func (b *browser) press(k tea.KeyMsg) {
	switch key := editor.KeyName(k); {
	case b.list.Press(key, b.table.Len(), b.height):
	case key == "ctrl+s":
		b.keep(b.table.NextOrder)
	case key == "ctrl+r":
		b.table.Turn()
		b.list.Cursor = 0
	default:
		before := b.filter.Text()
		if b.filter.Press(k); b.filter.Text() != before {
			b.table.Filter(b.filter.Text())
			b.list.Cursor = 0
		}
	}
}

// keep changes the table with the chosen row staying the chosen one, where it is still shown.
func (b *browser) keep(change func()) {
	row, ok := b.row()
	change()
	b.list.Cursor = 0
	for i := range b.table.Len() {
		if ok && b.table.Row(i) == row {
			b.list.Cursor = i
		}
	}
}

// clear empties the filter and reports whether there was one.
func (b *browser) clear() bool {
	if b.filter.Text() == "" {
		return false
	}
	b.filter.Set("")
	b.keep(func() { b.table.Filter("") })
	return true
}

func (b *browser) render(width, height int) []string {
	name, backward := b.table.Order()
	arrow := "↓"
	if backward {
		arrow = "↑"
	}
	count := fmt.Sprintf("%d of %d, by %s %s", b.table.Len(), b.table.Total(), name, arrow)
	look := editor.Look{Prompt: "/ ", Placeholder: "type to filter", Dim: b.theme.Dim, Cursor: b.theme.Cursor}
	room := max(width-cells.Width(count)-2, width/2)
	field := b.filter.Render(room, 1, look)[0]
	lines := []string{cells.Ends(field, b.theme.Faint.Render(count), width)}
	widths := layout(b.columns, width-2)
	lines = append(lines, b.theme.Faint.Render(cells.Truncate("  "+b.line(widths, func(c column) string { return c.title }), width)))
	b.height = max(height-len(lines), 1)
	from, to := b.list.Window(b.table.Len(), b.height)
	for i := from; i < to; i++ {
		row, mark := b.table.Row(i), "  "
		line := b.line(widths, func(c column) string { return c.cell(row) })
		if i == b.list.Cursor {
			mark, line = "▸ ", b.theme.Key.Render(line)
		}
		lines = append(lines, cells.Truncate(mark+line, width))
	}
	if b.table.Len() == 0 {
		lines = append(lines, b.theme.Faint.Render(cells.Truncate("  nothing matches (Esc shows all)", width)))
	}
	return lines
}

// line puts the cells of a row side by side.
func (b *browser) line(widths []int, text func(column) string) string {
	var parts []string
	for i, c := range b.columns {
		if widths[i] == 0 {
			continue
		}
		cell := cells.Fit(text(c), widths[i])
		if c.right {
			cell = cells.Right(text(c), widths[i])
		}
		parts = append(parts, cell)
	}
	return strings.Join(parts, strings.Repeat(" ", columnGap))
}

// layout gives columns their widths. Where there is no room, optional ones are left out (0), the last first; then the widest
// ones shrink.
func layout(columns []column, width int) []int {
	widths := make([]int, len(columns))
	need := -columnGap
	for i, c := range columns {
		widths[i] = c.width
		if c.width == 0 {
			widths[i] = cmp.Or(c.least, leastFlexible)
		}
		need += widths[i] + columnGap
	}
	for i := len(columns) - 1; i >= 0 && need > width; i-- {
		if columns[i].optional {
			need -= widths[i] + columnGap
			widths[i] = 0
		}
	}
	for i, c := range columns {
		if c.width == 0 && widths[i] > 0 && need < width {
			more := width - need
			if c.most > 0 {
				more = max(0, min(more, c.most-widths[i]))
			}
			widths[i], need = widths[i]+more, need+more
		}
	}
	for need > width {
		i := slices.Index(widths, slices.Max(widths))
		if widths[i] <= leastColumn {
			break // the end of the line is cut
		}
		widths[i]--
		need--
	}
	return widths
}

// browserKeys are the keys of every browser.
var browserKeys = []tui.Key{{Name: "letters", Does: "filter: all words must match; * and ? for a pattern of the name, ! before a word for not"},
	{Name: "↑ ↓ PgUp PgDn", Does: "move (Home, End: to the ends)"}, {Name: "Ctrl-S", Does: "sort by the next column"}, {Name: "Ctrl-R", Does: "sort the other way round"},
	{Name: "Esc", Does: "go back; clear the filter"}}

// widest is the width of the longest of n texts, at most limit.
func widest(n, limit int, text func(i int) string) int {
	most := 4
	for i := range n {
		if most = max(most, cells.Width(text(i))); most >= limit {
			return limit
		}
	}
	return most
}

// only shows the rows for which keep is true alone, or all again.
func (b *browser) only(on bool, keep func(row int) bool) {
	if !on {
		keep = nil
	}
	b.keep(func() { b.table.Only(keep) })
}
