package pane

import (
	"slices"
	"testing"

	"github.com/llamakit/llamakit/tui/cells"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct{ width, least, left, right int }{{101, 20, 60, 40}, {80, 36, 43, 36}, {60, 36, 60, 0}, {41, 20, 20, 20}, {0, 1, 0, 0}} {
		if l, r := Split(c.width, 0.6, c.least); l != c.left || r != c.right {
			t.Errorf("%d columns: %d and %d, want %d and %d", c.width, l, r, c.left, c.right)
		}
	}
}

func TestBeside(t *testing.T) {
	got := Beside([]string{"a", "日本語"}, []string{"x", "y", "z"}, 4, "|", 4)
	if want := []string{"a   |x", "日… |y", "    |z", "    |"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestRule(t *testing.T) {
	for _, width := range []int{0, 1, 5, 30} {
		for _, line := range []string{Rule("", width), Rule("a title", width)} {
			if cells.Width(line) != width {
				t.Errorf("%q is not %d wide", line, width)
			}
		}
	}
	if got := Rule("t", 9); got != "── t ────" {
		t.Errorf("%q", got)
	}
}
