package inspect

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/printable"
)

func brackets(s string) string { return "[" + s + "]" }

func TestFlow(t *testing.T) {
	for _, c := range []struct {
		pieces []piece
		want   []string
	}{
		{nil, []string{""}},
		{[]piece{{"abcdef", false}}, []string{"abcd", "ef"}},
		{[]piece{{"ab", false}, {"<x>", true}, {"c\nd\t!", false}}, []string{"ab[<x]", "[>]c", "d !"}},
		{[]piece{{"日本語", false}}, []string{"日本", "語"}},
		{[]piece{{"a\n\n", false}, {"x", true}}, []string{"a", "", "[x]"}},
	} {
		if got := flow(c.pieces, 4, brackets); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.pieces, got, c.want)
		}
	}
	if n := len(flow([]piece{{strings.Repeat("x", 5<<20), false}}, 80, brackets)); n > maxText/80+1 {
		t.Errorf("%d lines of a text without end", n)
	}
}

// FuzzFlow checks that no line is too wide and that no character is lost.
func FuzzFlow(f *testing.F) {
	f.Add("日本語 👩‍👩‍👧e\u0301\tx\n\ny", "<|x|>", 7)
	f.Fuzz(func(t *testing.T, plain, special string, width int) {
		if width < 2 || width > 200 || !utf8.ValidString(plain+special) || strings.ContainsAny(plain+special, "\x1b\x00") {
			t.Skip()
		}
		lines := flow([]piece{{plain, false}, {special, true}, {plain, false}}, width, func(s string) string { return s })
		for _, line := range lines {
			if cells.Width(line) > width {
				t.Fatalf("%q is wider than %d", line, width)
			}
		}
		solid := func(s string) string { return strings.NewReplacer(" ", "", "\n", "", "\t", "").Replace(s) }
		if got, want := solid(strings.Join(lines, "")), solid(printable.Text(plain)+printable.Text(special)+printable.Text(plain)); got != want {
			t.Fatalf("%q became %q", want, got)
		}
	})
}
