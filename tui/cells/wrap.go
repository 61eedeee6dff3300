package cells

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Wrap breaks plain text (without escape sequences) into lines of at most width cells: at blanks or between wide
// characters where that leaves something on the line, else anywhere. The blanks at a break are dropped, tabs become
// blanks. Text without any characters is one empty line. Width is taken to be at least 2: a wide character has to fit.
func Wrap(text string, width int) []string {
	width = max(width, 2)
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		line = ExpandTabs(line)
		if len(line) <= width { // no character takes more cells than bytes
			out = append(out, line)
			continue
		}
		out = wrapLine(out, line, width)
	}
	return out
}

// wrapLine appends the pieces of one line to out.
func wrapLine(out []string, line string, width int) []string {
	var (
		start    int // where the piece begins
		cells    int // cells from start to at
		brk      int // the last place for a break, a byte offset; none while it is not beyond start
		brkCells int // cells from start to brk
		wasWide  bool
	)
	for at := 0; at < len(line); {
		g, n := First(line[at:])
		if g == "" {
			break
		}
		if n == 2 || wasWide {
			brk, brkCells = at, cells
		}
		if cells+n > width {
			if g == " " {
				out = append(out, strings.TrimRight(line[start:at], " "))
				at += len(line[at:]) - len(strings.TrimLeft(line[at:], " "))
				start, cells, wasWide = at, 0, false
				continue
			}
			if brk <= start {
				brk, brkCells = at, cells
			}
			out = append(out, strings.TrimRight(line[start:brk], " "))
			start, cells = brk, cells-brkCells
		}
		at, cells, wasWide = at+len(g), cells+n, n == 2
		if g == " " && strings.Trim(line[start:at], " ") != "" { // not inside an indentation
			brk, brkCells = at, cells
		}
	}
	if start < len(line) || len(out) == 0 {
		out = append(out, line[start:])
	}
	return out
}

// Chop breaks one styled line into pieces of at most width cells; each piece carries the style that holds there.
func Chop(line string, width int) []string {
	width = max(width, 2)
	total := Width(line)
	if total <= width {
		return []string{line}
	}
	var out []string
	for from := 0; from < total; {
		piece := ansi.Cut(line, from, from+width)
		if n := Width(piece); n > 0 {
			out, from = append(out, piece), from+n
		} else {
			from += width
		}
	}
	return out
}
