package plot

import (
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
