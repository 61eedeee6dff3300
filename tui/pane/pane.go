// Package pane puts drawn blocks of lines beside and above each other.
package pane

import (
	"strings"

	"github.com/llamakit/llamakit/tui/cells"
)

// Split divides width into two parts and a gap of one cell between them: left gets share of it, no part gets less than least.
// Where that cannot be, right is 0 and left all.
func Split(width int, share float64, least int) (left, right int) {
	if width < 2*least+1 {
		return width, 0
	}
	left = max(least, min(int(share*float64(width-1)), width-1-least))
	return left, width - 1 - left
}

// Beside joins two blocks line by line to one of height lines; the left one is filled up to leftWidth, and gap stands between.
func Beside(left, right []string, leftWidth int, gap string, height int) []string {
	left, right = cells.Block(left, height), cells.Block(right, height)
	out := make([]string, height)
	for i := range out {
		out[i] = cells.Fit(left[i], leftWidth) + gap + right[i]
	}
	return out
}

// Rule is a line of width cells with a title in it.
func Rule(title string, width int) string {
	if title == "" {
		return strings.Repeat("─", max(width, 0))
	}
	title = cells.Truncate("── "+title+" ", width)
	return title + strings.Repeat("─", max(0, width-cells.Width(title)))
}
