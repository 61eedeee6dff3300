package inspect

import (
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/inspect/probe"
	"github.com/llamakit/llamakit/tui/printable"
)

func joined(lines []string, height int) string { return strings.Join(cells.Block(lines, height), "\n") }

// tabs names the sections; where there is no room for all, the active one and how many there are.
func (v *View) tabs(width int) string {
	var parts []string
	for i, s := range v.sections {
		if name := s.name(); i == v.active {
			parts = append(parts, v.files.theme.Key.Render("["+name+"]"))
		} else {
			parts = append(parts, v.files.theme.Faint.Render(" "+name+" "))
		}
	}
	line := strings.Join(parts, "")
	if cells.Width(line) > width {
		line = v.files.theme.Key.Render("["+v.section().name()+"]") + v.files.theme.Faint.Render(fmt.Sprintf(" %d of %d, Tab: next", v.active+1, len(v.sections)))
	}
	return cells.Fit(line, width)
}

// fields draws names and values in two columns; long values go on below.
func (f *files) fields(width int, pairs ...[2]string) (lines []string) {
	column := 0
	for _, p := range pairs {
		column = max(column, cells.Width(p[0])+2)
	}
	column = min(column, width/2)
	for _, p := range pairs {
		name := f.theme.Faint.Render(cells.Fit(p[0], column))
		for _, line := range cells.Wrap(p[1], max(width-column, 2)) {
			lines = append(lines, name+line)
			name = strings.Repeat(" ", column)
		}
	}
	return lines
}

// failure draws an error.
func (f *files) failure(err error, width int) (lines []string) {
	for _, line := range cells.Wrap(printable.Text(err.Error()), width) {
		lines = append(lines, f.theme.Error.Render(line))
	}
	return lines
}

// mark is the sign of a change.
func mark(c probe.Change) string { return string(rune(c)) }

func shape(dims []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(dims), " ", "x"), "[]")
}

func percent(part, whole int64) string {
	if whole == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f%%", 100*float64(part)/float64(whole))
}
