package printable

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "Hello, wörld 日本\n\tx", "Hello, wörld 日本\n\tx"},
		{"empty", "", ""},
		{"clear screen", "a\x1b[2Jb", "a␛[2Jb"},
		{"clipboard", "\x1b]52;c;aGk=\a", "␛]52;c;aGk=␇"},
		{"carriage return", "good\rbad", "good␍bad"},
		{"backspace, nul, delete", "a\b\x00\x7f", "a␈␀␡"},
		{"CSI as one code point", "\u009b2J", "<9b>2J"},
		{"direction override", "a\u202eb\u2069", "a<202e>b<2069>"},
		{"line separator, byte order mark", "a\u2028b\ufeff", "a<2028>b<feff>"},
		{"invalid byte", "a\xffb\x9b2J", "a\ufffdb\ufffd2J"},
		{"replacement character stays", "a\ufffdb", "a\ufffdb"},
		{"family emoji keeps its joiners", "👩‍👩‍👧", "👩‍👩‍👧"},
		{"combining, Arabic", "e\u0301 مرحبا", "e\u0301 مرحبا"},
	} {
		if got := Text(c.in); got != c.want {
			t.Errorf("%s: Text(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	if got, want := Line("a\nb\tc"), "a␊b␉c"; got != want {
		t.Errorf("Line = %q, want %q", got, want)
	}
}

// TestEveryCodePoint checks the promise itself: nothing that a terminal obeys is left.
func TestEveryCodePoint(t *testing.T) {
	for r := range rune(utf8.MaxRune + 1) {
		for _, left := range Text(string(r)) {
			if left < 0x20 && left != '\n' && left != '\t' || left >= 0x7f && left < 0xa0 || turnsDirection(left) {
				t.Fatalf("Text(%U) leaves %U", r, left)
			}
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\x1b[31m\xc2\x9b\xe2\x80\xae日本")
	f.Fuzz(func(t *testing.T, s string) {
		got := Text(s)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x1b\a\r\u009b") {
			t.Fatalf("Text(%q) = %q", s, got)
		}
		if Text(got) != got {
			t.Fatalf("Text is not stable on %q", got)
		}
	})
}
