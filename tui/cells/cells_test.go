package cells

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWidth(t *testing.T) {
	for _, c := range []struct {
		s    string
		want int
	}{
		{"", 0}, {"abc", 3}, {"日本語", 6}, {"e\u0301", 1}, {"👩‍👩‍👧", 2}, {"🇫🇷", 2}, {"مرحبا", 5}, {"\x1b[31mred\x1b[0m", 3},
	} {
		if got := Width(c.s); got != c.want {
			t.Errorf("Width(%q) = %d, want %d", c.s, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 10, []string{""}},
		{"one two three", 7, []string{"one two", "three"}},
		{"a\n\nb", 10, []string{"a", "", "b"}},
		{"abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"日本語日本", 5, []string{"日本", "語日", "本"}},
		{"a\tb", 10, []string{"a   b"}},
		{"👩‍👩‍👧👩‍👩‍👧", 3, []string{"👩‍👩‍👧", "👩‍👩‍👧"}},
		{"日", 1, []string{"日"}},
		{"  indented words", 10, []string{"  indented", "words"}},
		{" 00", 2, []string{" 0", "0"}},
		{"one   two", 4, []string{"one", "two"}},
		{"say 日本 so", 6, []string{"say 日", "本 so"}},
		{"end      ", 4, []string{"end"}},
	} {
		if got := Wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestChopKeepsStyle(t *testing.T) {
	got := Chop("\x1b[31mabcdef\x1b[0m", 4)
	if len(got) != 2 || !strings.Contains(got[1], "\x1b[31m") || Width(got[0]) != 4 || Width(got[1]) != 2 {
		t.Errorf("Chop = %q", got)
	}
	if got := Chop("日本語", 5); !slices.Equal(got, []string{"日本", "語"}) {
		t.Errorf("Chop of wide characters = %q", got)
	}
}

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		left, right string
		width       int
		want        string
	}{
		{"left", "right", 12, "left   right"},
		{"a long left side", "right", 12, "a lon… right"},
		{"left", "right", 5, "right"},
		{"left", "right", 3, "ri…"},
		{"left", "", 6, "left  "},
	} {
		if got := Ends(c.left, c.right, c.width); got != c.want {
			t.Errorf("Ends(%q, %q, %d) = %q, want %q", c.left, c.right, c.width, got, c.want)
		}
	}
}

func TestBlock(t *testing.T) {
	lines := []string{"a", "b", "c"}
	if got := Block(lines, 2); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("Block(2) = %q", got)
	}
	if got := Block(lines[:1], 2); !slices.Equal(got, []string{"a", ""}) || lines[1] != "b" {
		t.Errorf("Block(2) of one = %q, and the source is %q", got, lines)
	}
}

// FuzzWrap checks that no line is too wide and that no character is lost.
func FuzzWrap(f *testing.F) {
	f.Add("日本語 family 👩‍👩‍👧 e\u0301 مرحبا\tx\n\ny", 7)
	f.Fuzz(func(t *testing.T, text string, width int) {
		if !utf8.ValidString(text) || width < 2 || width > 200 || strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 }) {
			t.Skip()
		}
		lines := Wrap(text, width)
		for _, line := range lines {
			if Width(line) > width {
				t.Fatalf("Wrap(%q, %d): %q is %d cells wide", text, width, line, Width(line))
			}
		}
		if got, want := solid(strings.Join(lines, "")), solid(text); got != want {
			t.Fatalf("Wrap(%q, %d) keeps %q of %q", text, width, got, want)
		}
	})
}

// solid is s without white space.
func solid(s string) string { return strings.NewReplacer(" ", "", "\n", "", "\t", "").Replace(s) }
