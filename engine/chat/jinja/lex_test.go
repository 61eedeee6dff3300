package jinja

import (
	"fmt"
	"strings"
	"testing"
)

// TestLex shows the tokens of a template: text in quotes, the rest as it stands.
func TestLex(t *testing.T) {
	for _, tt := range []struct{ source, want string }{
		{"", ""},
		{"a\n", `"a"`},
		{"a{{ b }}c", `"a" {{ b }} "c"`},
		{"a {{- b -}} c", `"a" {{ b }} "c"`},
		{" {% if x %}\ny", `{% if x %} "y"`},
		{" {%+ if x +%}\ny", `" " {% if x %} "\ny"`},
		{"x {% if %}", `"x " {% if %}`},
		{"\n  {# c #}\nd", `"\n" "d"`},
		{"{% raw %}{{ a }}{% endraw %}", `"{{ a }}"`},
		{"{% raw -%} a {%- endraw %}\nb", `"a" "b"`},
		{`{{ 'a\n' "b" }}`, `{{ 'a` + "\n" + `' 'b' }}`},
		{"{{ 1 1.5 1_0 0x1F 1e3 a.0.1 }}", "{{ 1 1.5 10 0x1F 1e3 a . 0 . 1 }}"},
		{"{{ {'a': {}} }}", "{{ { 'a' : { } } }}"},
		{"{{ a//b**c==d!=e>=f<=g }}", "{{ a // b ** c == d != e >= f <= g }}"},
		{"a\r\nb\rc", `"a\nb\nc"`},
		{"{ {a} #} %} }}", `"{ {a} #} %} }}"`},
	} {
		if got := describeTokens(lex("test", normalize(tt.source))); got != tt.want {
			t.Errorf("%q\n got  %s\n want %s", tt.source, got, tt.want)
		}
	}
}

func describeTokens(tokens []token) string {
	var parts []string
	for _, tok := range tokens {
		switch tok.kind {
		case tokEOF:
		case tokText:
			parts = append(parts, fmt.Sprintf("%q", tok.text))
		case tokString:
			parts = append(parts, "'"+tok.text+"'")
		default:
			parts = append(parts, tok.text)
		}
	}
	return strings.Join(parts, " ")
}
