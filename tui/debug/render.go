package debug

import (
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/tui/cells"
)

// Render draws the names of the panes, and the one that is shown.
func (v *View) Render(width, height int) string {
	lines := []string{v.tabs(width)}
	room := height - 1
	if v.asks != nil {
		room--
	}
	body := [panes]func(width, height int) []string{v.templateBlock, v.tokensBlock, v.alternativesBlock, v.whyBlock, v.compareBlock}[v.pane](width, max(room, 1))
	lines = append(lines, cells.Block(body, max(room, 0))...)
	if v.asks != nil {
		lines = append(lines, v.askLine(width))
	}
	for i := range lines {
		lines[i] = cells.Truncate(lines[i], width)
	}
	return strings.Join(cells.Block(lines, height), "\n")
}

// tabs names the panes; where there is no room for all names, only that of the one that is shown.
func (v *View) tabs(width int) string {
	long, short := "", ""
	for i, name := range paneNames {
		label := fmt.Sprintf(" %d %s ", i+1, name)
		if paneID(i) == v.pane {
			label = v.theme.Key.Render(fmt.Sprintf("[%d %s]", i+1, name))
			short += label
		} else {
			short += fmt.Sprintf(" %d ", i+1)
		}
		long += label
	}
	if cells.Width(long) > width {
		return cells.Fit(short, width)
	}
	return cells.Fit(long, width)
}
