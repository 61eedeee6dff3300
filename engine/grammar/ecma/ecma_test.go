package ecma

import (
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine/grammar/rx"
)

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern string
		yes, no string // separated by blanks; _ is the empty text
	}{
		{``, "_ x", ""},
		{`b`, "b abc", "_ ac"},
		{`^b`, "b bc", "ab"},
		{`b$`, "b ab", "bc"},
		{`^a|b$`, "a ax xb", "xa bx"},
		{`^(anon-)?\d{3,}$`, "anon-123 1234", "12 anon-12 123x"},
		{`^([^,]|$)`, "_ a a,", ", ,a"},
		{`^(?!foo)\w+$`, "bar fo", "foo foobar _"},
		{`^(?=.*\d)(?=.*[a-z]).{4,}$`, "abc1 1abc", "abcd 1234 a1"},
		{`^@([\da-z](?:(?!.*--)[\da-z-]*[\da-z])?)/x$`, "@a/x @a-b/x", "@a--b/x @-/x"},
		{`^(?:a|^b)c$`, "ac bc", "c abc"},
		{`^a??b+?$`, "b ab bb", "a"},
		{`^[\w.-]+$`, "a-b_c.9", "a,b é"},
		{`^[^\s\d]$`, "a é", "1 \t \u00a0"},
		{`^\p{Lu}\p{Script=Greek}+$`, "Aλ", "aλ Aa"},
		{`^\u{1F600}\x41\u00e9\cJ$`, "😀Aé\n", "A"},
		{`^\ud83d\ude00$`, "😀", "x"},
		{`^a{,2}$`, "a{,2}", "a aa"},
		{`^(?<n>x)$`, "x", "y"},
		{`x*^a`, "a ab", "xa xxa"},
	} {
		a := rx.New()
		e, err := Compile(a, a.Runes, c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for i, list := range []string{c.yes, c.no} {
			for _, s := range strings.Split(list, " ") {
				if s = strings.TrimPrefix(s, "_"); list != "" && a.Match(e, s) != (i == 0) {
					t.Errorf("%s on %q: %v", c.pattern, s, i != 0)
				}
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for pattern, want := range map[string]string{
		`^(a$`:                    "offset 1: this parenthesis",
		`a)`:                      "unexpected )",
		`(?<=a)b`:                 "look-behind",
		`(a)\1`:                   "back-references",
		`\bx`:                     "word boundaries",
		`*a`:                      "nothing to repeat",
		`[z-a]`:                   "reversed",
		`[a`:                      "bracket",
		`\y`:                      "unknown escape",
		`\p{Nope}`:                "unknown property",
		`(?:^a)*b`:                "repeated too often",
		`a{2,1}`:                  "least count",
		`a{9999999}`:              "counts go up",
		`(?i)a`:                   "unknown kind of group",
		strings.Repeat("(", 9999): "nested too deep",
	} {
		a := rx.New()
		if _, err := Compile(a, a.Runes, pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v, want %s", pattern, err, want)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{`^a|b$`, `(?!x)[^\d-]{2,3}?`, `\u{41}\p{L}`, `(?:(?=a)|^)+`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		if len(pattern) > 60 {
			return
		}
		a := rx.New()
		if e, err := Compile(a, a.Runes, pattern); err == nil {
			a.Match(e, "ab-12")
		}
	})
}
