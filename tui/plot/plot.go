// Package plot draws numbers with block characters: bars, and columns over time.
package plot

import (
	"math"
	"strings"
)

var eighths = []rune(" ▁▂▃▄▅▆▇█")

// Columns draws the latest values as columns, the newest at the right: height lines of width cells. The highest column has the
// value top; a value above zero shows its foot at least.
func Columns(values []float64, top float64, width, height int) []string {
	if len(values) > width {
		values = values[len(values)-width:]
	}
	lines := make([]string, height)
	for y := range lines {
		floor := 8 * (height - 1 - y)
		var b strings.Builder
		b.WriteString(strings.Repeat(" ", width-len(values)))
		for _, v := range values {
			b.WriteRune(eighths[min(max(level(v, top, 8*height)-floor, 0), 8)])
		}
		lines[y] = b.String()
	}
	return lines
}

// level is v in steps of which top has so many.
func level(v, top float64, steps int) int {
	if !(v > 0) || !(top > 0) {
		return 0
	}
	return max(1, min(steps, int(math.Round(v/top*float64(steps)))))
}

// Part is a piece of a bar.
type Part struct {
	Share float64 // of the whole bar, 0 to 1
	Fill  rune
}

// Bar draws parts one after another in width cells, and fills the rest with dots. A part above zero has a cell at least while
// there is room.
func Bar(width int, parts ...Part) string {
	var b strings.Builder
	left, sum, drawn := width, 0.0, 0
	for _, p := range parts {
		sum += p.Share
		n := int(math.Round(sum*float64(width))) - drawn
		if p.Share > 0 {
			n = max(n, 1)
		}
		n = min(max(n, 0), left)
		b.WriteString(strings.Repeat(string(p.Fill), n))
		left, drawn = left-n, drawn+n
	}
	return b.String() + strings.Repeat("·", left)
}

// Fraction is a bar of width cells of which a fraction is full, in steps of an eighth of a cell; the rest is blank.
func Fraction(fraction float64, width int) string {
	n := int(max(0, min(fraction, 1))*float64(8*width) + 0.5)
	full, part := n/8, n%8
	bar := strings.Repeat("█", full)
	if part > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[part-1])
		full++
	}
	return bar + strings.Repeat(" ", max(0, width-full))
}
