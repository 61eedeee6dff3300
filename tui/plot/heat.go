package plot

import (
	"math"
	"strings"
)

var shades = []rune("░▒▓█")

// Range returns the least value above zero of a grid, and the largest; 0 and 0 where there is none.
func Range(grid [][]float64) (low, high float64) {
	for _, row := range grid {
		for _, v := range row {
			if v > 0 && (low == 0 || v < low) {
				low = v
			}
			if v > high {
				high = v
			}
		}
	}
	return low, high
}

// Heat draws a grid as a map of at most width cells, each value as wide as the others, in logarithmic steps from low to high:
// with shades, and where there are colours (paint, the coldest first) with those, too. What is not above zero is blank, NaN a
// dot.
func Heat(grid [][]float64, low, high float64, width int, paint []func(string) string) []string {
	lines := make([]string, len(grid))
	steps := len(shades) * max(1, len(paint))
	for y, row := range grid {
		var b strings.Builder
		each := max(1, width/max(1, len(row)))
		for x := 0; x < len(row); {
			step, end := heatStep(row[x], low, high, steps), x+1
			for end < len(row) && heatStep(row[end], low, high, steps) == step {
				end++
			}
			b.WriteString(heatCells(step, steps, (end-x)*each, paint))
			x = end
		}
		lines[y] = b.String()
	}
	return lines
}

// heatStep is the step of a value, -1 for a blank one, -2 for none.
func heatStep(v, low, high float64, steps int) int {
	switch {
	case math.IsNaN(v):
		return -2
	case !(v > 0):
		return -1
	case !(high > low):
		return steps - 1
	}
	share := math.Log(v/low) / math.Log(high/low)
	return max(0, min(steps-1, int(share*float64(steps))))
}

func heatCells(step, steps, n int, paint []func(string) string) string {
	switch {
	case step == -2:
		return strings.Repeat("·", n)
	case step == -1:
		return strings.Repeat(" ", n)
	}
	cells := strings.Repeat(string(shades[step*len(shades)/steps]), n)
	if len(paint) > 0 {
		return paint[step*len(paint)/steps](cells)
	}
	return cells
}

// Histogram draws counts as columns: height lines of at most width cells, every bin as wide as the others.
func Histogram(counts []int, width, height int) []string {
	each := max(1, width/len(counts))
	most := 1
	var values []float64
	for _, n := range counts {
		most = max(most, n)
		for range each {
			values = append(values, float64(n))
		}
	}
	return Columns(values, float64(most), min(width, len(values)), height)
}
