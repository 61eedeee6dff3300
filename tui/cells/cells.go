// Package cells measures, cuts and wraps text in terminal cells.
//
// A cell holds a Latin letter; Chinese characters and most emoji take two; a combining mark takes none. What a terminal
// draws as one character may be several code points (a grapheme: a family emoji, a letter with its accents), which are
// never separated here. Escape sequences for colour have no width and are kept. Text is valid UTF-8 without other
// control codes: package printable sees to that.
package cells

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// TabWidth is how many cells a tab stop is from the next.
const TabWidth = 4

// Width is the number of cells of a line.
func Width(s string) int { return ansi.StringWidth(s) }

// First returns the first grapheme of s and its width. A newline is one, of width 0.
func First(s string) (grapheme string, width int) {
	if s != "" && s[0] >= ' ' && s[0] <= '~' && (len(s) == 1 || s[1] < utf8.RuneSelf) { // the usual case, at once
		return s[:1], 1
	}
	grapheme, _ = ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return grapheme, Width(grapheme) // which counts as the renderer will: a Thai vowel sign after a Latin letter has a cell
}

// Truncate cuts a line to at most width cells; the last of them is an ellipsis where something was cut.
func Truncate(s string, width int) string {
	if width <= 0 {
		return ""
	}
	return ansi.Truncate(s, width, "…")
}

// Fit makes a line exactly width cells wide: it cuts or fills with blanks.
func Fit(s string, width int) string {
	s = Truncate(s, width)
	return s + strings.Repeat(" ", max(0, width-Width(s)))
}

// Ends puts left and right at the two ends of a line of width cells. Where there is no room for both, right is kept.
func Ends(left, right string, width int) string {
	right = Truncate(right, width)
	room := width - Width(right)
	if right != "" {
		room--
	}
	if room <= 0 {
		return Fit(right, width)
	}
	line := Fit(left, room)
	if right != "" {
		line += " " + right
	}
	return line
}

// ExpandTabs replaces the tabs of a line by blanks up to the next tab stop.
func ExpandTabs(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	column := 0
	for i, part := range strings.Split(line, "\t") {
		if i > 0 {
			n := TabWidth - column%TabWidth
			b.WriteString(strings.Repeat(" ", n))
			column += n
		}
		b.WriteString(part)
		column += Width(part)
	}
	return b.String()
}

// Block makes lines exactly height of them: the first ones, or filled with empty lines below.
func Block(lines []string, height int) []string {
	if len(lines) >= height {
		return lines[:max(height, 0)]
	}
	return append(lines[:len(lines):len(lines)], make([]string, height-len(lines))...)
}

// Right makes a line exactly width cells wide, with the text at its right end.
func Right(s string, width int) string {
	s = Truncate(s, width)
	return strings.Repeat(" ", max(0, width-Width(s))) + s
}
