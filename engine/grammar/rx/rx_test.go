package rx

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

func TestOperators(t *testing.T) {
	a := New()
	x, y := a.Byte('x'), a.Byte('y')
	word := a.Star(a.Span('a', 'z'))
	for _, c := range []struct {
		name    string
		e       ID
		yes, no []string
	}{
		{"cat", a.Cat(x, y), []string{"xy"}, []string{"", "x", "xyx"}},
		{"alt", a.Alt(x, a.Cat(x, y)), []string{"x", "xy"}, []string{"", "y"}},
		{"repeat", a.Repeat(x, 2, 3), []string{"xx", "xxx"}, []string{"x", "xxxx"}},
		{"repeat of nullable", a.Repeat(a.Star(x), 2, 3), []string{"", "x", "xxxxxx"}, []string{"y"}},
		{"nested count", a.Repeat(a.Repeat(x, 0, 200), 0, 200), []string{"", strings.Repeat("x", 40000)}, []string{strings.Repeat("x", 40001)}},
		{"many", a.Repeat(x, 99_999, 100_000), []string{strings.Repeat("x", 100_000)}, []string{strings.Repeat("x", 99_998)}},
		{"and", a.And(a.Repeat(word, 0, 1), a.Not(a.Literal("no"))), []string{"yes", "n", "not"}, []string{"no", "N"}},
		{"runes", a.Runes(NewRunes(RuneRange{0x7f, 0x10000})), []string{"\x7f", "é", "€", "\uffff", "\U00010000"}, []string{"a", "\U00010001", "\xed\xa0\x80"}},
		{"multiple of 7", a.Multiple(7, 0), []string{"0", "7", "21.00", "700"}, []string{"", "1", "7.", "7.5", ".0"}},
		{"multiple of 0.05", a.Multiple(5, 2), []string{"0", "7", "2.10", "1.1", "1.05", "1.0500"}, []string{"1.01", "1.051", "1.", ""}},
	} {
		for _, s := range c.yes {
			if !a.Match(c.e, s) {
				t.Errorf("%s does not match %.20q", c.name, s)
			}
		}
		for _, s := range c.no {
			if a.Match(c.e, s) {
				t.Errorf("%s matches %.20q", c.name, s)
			}
		}
	}
}

func TestDeadEndsAreNothing(t *testing.T) {
	a := New()
	digits := a.Repeat(a.Span('0', '9'), 1, 2)
	e := a.And(digits, a.Multiple(60, 0)) // 0, 00, 60
	if !a.Alive(e) || a.Step(e, '7') != Nothing || a.Step(e, '6') == Nothing {
		t.Error("7 begins no multiple of 60 below 100, 6 does")
	}
	if a.Alive(a.And(a.Literal("ab"), a.Not(a.Literal("ab")))) {
		t.Error("a text that is not itself")
	}
}

func TestFree(t *testing.T) {
	a := New()
	char := a.Span('a', 'z')
	a.MarkFree(char)
	quote := a.Byte('"')
	all := a.Cat(a.Star(char), quote)
	for _, c := range []struct {
		e    ID
		want int
	}{
		{all, Unbounded},
		{a.Cat(a.Repeat(char, 3, 5), quote), 5},
		{a.And(all, a.Not(a.Literal(`key"`))), Unbounded},
		{a.And(all, a.Not(a.Cat(a.Star(char), quote))), 0},
		{a.Literal("x"), 0},
	} {
		if got := a.Free(c.e); got != c.want {
			t.Errorf("%d plain characters may follow, want %d", got, c.want)
		}
	}
}

// TestAgainstRegexp compares random expressions with the standard library.
func TestAgainstRegexp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		a := New()
		e, pattern := random(a, r, 4)
		std := regexp.MustCompile(`^(?:` + pattern + `)$`)
		for range 40 {
			s := make([]byte, r.IntN(7))
			for i := range s {
				s[i] = "abc"[r.IntN(3)]
			}
			if got, want := a.Match(e, string(s)), std.Match(s); got != want {
				t.Fatalf("%s on %q: %v", pattern, s, got)
			}
			if a.Match(a.Not(e), string(s)) == std.Match(s) {
				t.Fatalf("complement of %s on %q", pattern, s)
			}
		}
	}
}

func random(a *Arena, r *rand.Rand, depth int) (ID, string) {
	if depth == 0 || r.IntN(5) == 0 {
		s := "abc"[r.IntN(3):][:1]
		return a.Literal(s), s
	}
	x, px := random(a, r, depth-1)
	switch r.IntN(4) {
	case 0:
		y, py := random(a, r, depth-1)
		return a.Cat(x, y), px + py
	case 1:
		y, py := random(a, r, depth-1)
		return a.Alt(x, y), "(?:" + px + "|" + py + ")"
	case 2:
		return a.Star(x), "(?:" + px + ")*"
	}
	return a.Repeat(x, 1, 3), "(?:" + px + "){1,3}"
}
