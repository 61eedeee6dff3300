package plot

import (
	"math"
	"slices"
	"testing"
	"unicode/utf8"
)

func TestColumns(t *testing.T) {
	for _, c := range []struct {
		values        []float64
		top           float64
		width, height int
		want          []string
	}{
		{[]float64{0, 1, 4, 8}, 8, 4, 1, []string{" ▁▄█"}},
		{[]float64{8, 16}, 16, 3, 2, []string{"  █", " ██"}},
		{[]float64{1, 2, 3}, 3, 2, 1, []string{"▅█"}},
		{[]float64{0.001}, 1000, 1, 1, []string{"▁"}},
		{[]float64{5}, 0, 2, 1, []string{"  "}},
		{nil, 1, 2, 2, []string{"  ", "  "}},
	} {
		if got := Columns(c.values, c.top, c.width, c.height); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.values, got, c.want)
		}
	}
}

func TestBar(t *testing.T) {
	for _, c := range []struct {
		width int
		parts []Part
		want  string
	}{
		{8, []Part{{0.5, '#'}, {0.25, '='}}, "####==··"},
		{4, []Part{{0.01, '#'}, {0.01, '='}}, "#=··"},
		{2, []Part{{1, '#'}, {1, '='}}, "##"},
		{3, nil, "···"},
	} {
		got := Bar(c.width, c.parts...)
		if got != c.want || utf8.RuneCountInString(got) != c.width {
			t.Errorf("%v: %q, want %q", c.parts, got, c.want)
		}
	}
}

func TestHeat(t *testing.T) {
	nan := math.NaN()
	grid := [][]float64{{1, 10, 100, 1000}, {0, nan, 9, 11}}
	low, high := Range(grid)
	if low != 1 || high != 1000 {
		t.Fatalf("from %g to %g", low, high)
	}
	if got, want := Heat(grid, low, high, 4, nil), []string{"░▒▓█", " ·▒▒"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	mark := func(s string) func(string) string { return func(text string) string { return s + text } }
	if got, want := Heat(grid[:1], low, high, 4, []func(string) string{mark("c"), mark("h")}), []string{"c░c▒h▓h█"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Heat([][]float64{{3, 3}}, 3, 3, 5, nil); got[0] != "████" {
		t.Errorf("one value: %q", got)
	}
}

func TestHistogram(t *testing.T) {
	if got, want := Histogram([]int{1, 0, 4}, 7, 2), []string{"    ██", "▄▄  ██"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFraction(t *testing.T) {
	for _, c := range []struct {
		fraction float64
		width    int
		want     string
	}{{0.5, 3, "█▌ "}, {0.3, 5, "█▌   "}, {7, 2, "██"}, {-1, 2, "  "}, {0.5, 0, ""}} {
		if got := Fraction(c.fraction, c.width); got != c.want {
			t.Errorf("%g of %d cells: %q, want %q", c.fraction, c.width, got, c.want)
		}
	}
}
