package escape

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"blk.0.attn_q.weight", "blk.0.attn_q.weight"},
		{"k \x1b]0;x\a", `k \x1b]0;x\x07`},
		{"blk.0 \x1b[2J", `blk.0 \x1b[2J`},
		{"\x1b]52;c;aGk=\x1b\\", `\x1b]52;c;aGk=\x1b\`},
		{"abc\u202egnp.exe", `abc\u202egnp.exe`},
		{"a\u2066b\u2069c\u200ed\u200f\u061c", `a\u2066b\u2069c\u200ed\u200f\u061c`},
		{"tab\tnl\ncr\rnul\x00del\x7f", `tab\tnl\ncr\rnul\x00del\x7f`},
		{"c1 \u009b2J", `c1 \u009b2J`},
		{"\xff\xfeok\xc3", `\xff\xfeok\xc3`},
		{"line\u2028sep\u2029", `line\u2028sep\u2029`},
		{"\ufeffbom", `\ufeffbom`},
		{"tags \U000e0041", `tags \U000e0041`},
		{"private \ue000", `private \ue000`},
		{"\ufffd kept", "\ufffd kept"},
		{"日本語 Ünïcode العربية e\u0301", "日本語 Ünïcode العربية e\u0301"},
		{"👨\u200d👩\u200d👧 می\u200cخواهم", "👨\u200d👩\u200d👧 می\u200cخواهم"},
		{"wide\u3000space\u00a0x", "wide\u3000space\u00a0x"},
		{`C:\models\x`, `C:\models\x`},
	} {
		if got := Printable(c.in); got != c.want {
			t.Errorf("Printable(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// TestPrintableNeverUnsafe puts every character below U+30000, and every byte, between letters.
func TestPrintableNeverUnsafe(t *testing.T) {
	check := func(in string) {
		got := Printable(in)
		if !utf8.ValidString(got) || Printable(got) != got || strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 }) {
			t.Fatalf("Printable(%q) = %q", in, got)
		}
	}
	for b := range 256 {
		check("a" + string([]byte{byte(b)}) + "z")
	}
	for r := rune(0); r < 0x30000; r++ {
		check("a" + string(r) + "z")
	}
}

func TestQuote(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"abc", 3, `"abc"`},
		{"abcd", 3, `"abc…"`},
		{"aéé", 2, `"a…"`},
		{"\x1b[m", 10, `"\x1b[m"`},
		{"\x80\x80\x80", 1, `"…"`},
	} {
		if got := Quote(c.in, c.limit); got != c.want {
			t.Errorf("Quote(%q, %d) = %s, want %s", c.in, c.limit, got, c.want)
		}
	}
}
