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

// Beside joins two blocks, each of height lines, line by line; the left one is filled up to leftWidth, and gap stands between.
func Beside(left, right string, leftWidth int, gap string, height int) string {
	a := cells.Block(strings.Split(left, "\n"), height)
	b := cells.Block(strings.Split(right, "\n"), height)
	out := make([]string, height)
	for i := range out {
		out[i] = cells.Fit(a[i], leftWidth) + gap + b[i]
	}
	return strings.Join(out, "\n")
}

// Rule is a line of width cells with a title in it.
func Rule(title string, width int) string {
	if title == "" {
		return strings.Repeat("─", max(width, 0))
	}
	title = cells.Truncate("── "+title+" ", width)
	return title + strings.Repeat("─", max(0, width-cells.Width(title)))
}

// Bar is a bar of width cells of which a fraction is full, in steps of an eighth of a cell.
func Bar(fraction float64, width int) string {
	eighths := int(max(0, min(fraction, 1))*float64(8*width) + 0.5)
	bar := strings.Repeat("█", eighths/8)
	if part := eighths % 8; part > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[part-1])
	}
	return bar + strings.Repeat(" ", max(0, width-cells.Width(bar)))
}
