package chat

import (
	"slices"
	"strings"

	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/export"
	"github.com/llamakit/llamakit/tui/printable"
	"github.com/llamakit/llamakit/tui/scroll"
	"github.com/llamakit/llamakit/tui/theme"
)

// hint is a way in which what is typed may go on.
type hint struct{ text, does string }

// hints are completions of the last word of a command.
type hints struct {
	list []hint
	at   scroll.List
}

// complete finds the completions of what is typed.
func (v *View) complete() {
	v.hints = hints{}
	text := v.input.Text()
	if !v.asks.free() || !isCommand(text) || strings.Contains(text, "\n") {
		return
	}
	name, argument, spaced := strings.Cut(text[1:], " ")
	if !spaced {
		for _, c := range commands {
			if strings.HasPrefix(c.name, name) {
				v.hints.list = append(v.hints.list, hint{"/" + c.name, c.does})
			}
		}
		return
	}
	c, err := findCommand(name)
	if err != nil || c.complete == nil || strings.Contains(argument, " ") {
		return
	}
	v.hints.list = slices.DeleteFunc(c.complete(v), func(h hint) bool { return !strings.HasPrefix(h.text, argument) || h.text == argument })
}

// press moves in the list.
func (h *hints) press(key string) bool {
	return len(h.list) > 1 && (key == "up" || key == "down") && h.at.Press(key, len(h.list), 1)
}

// taken is the text with the chosen completion.
func (h *hints) taken(text string) string {
	return text[:strings.LastIndexByte(text, ' ')+1] + h.list[h.at.Cursor].text + " "
}

// render draws at most height lines.
func (h *hints) render(width, height int, t theme.Theme) (lines []string) {
	if len(h.list) == 0 || height < 1 {
		return nil
	}
	from, to := h.at.Window(len(h.list), height)
	column := 0
	for _, one := range h.list {
		column = max(column, cells.Width(one.text)+2)
	}
	column = min(column, width/2)
	for i := from; i < to; i++ {
		name := "  " + cells.Fit(printable.Line(h.list[i].text), column)
		if i == h.at.Cursor {
			name = t.Key.Render("▸ " + cells.Fit(printable.Line(h.list[i].text), column))
		}
		lines = append(lines, cells.Truncate(name+t.Faint.Render(cells.Truncate(printable.Line(h.list[i].does), width-column-2)), width))
	}
	return lines
}

// words are completions that are always the same.
func words(list ...string) func(*View) []hint {
	return func(*View) (hints []hint) {
		for _, w := range list {
			hints = append(hints, hint{text: w})
		}
		return hints
	}
}

func exportHints(*View) (list []hint) {
	for _, f := range export.Formats {
		list = append(list, hint{f.Name, f.Does})
	}
	return list
}

func sessionHints(v *View) (list []hint) {
	if v.options.Store == nil {
		return nil
	}
	entries, err := v.options.Store.List()
	for i, e := range entries {
		if err == nil && i < 20 {
			list = append(list, hint{e.ID, e.Title})
		}
	}
	return list
}
