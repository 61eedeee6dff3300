package gbnf_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/grammar/gbnf"
	"github.com/llamakit/llamakit/engine/grammar/pushdown"
)

func accepts(t *testing.T, text, s string) bool {
	t.Helper()
	g, err := grammar.ParseGBNF(text)
	if err != nil {
		t.Fatalf("%.100s: %v", text, err)
	}
	m := g.Matcher(nil)
	_, err = m.AcceptBytes([]byte(s))
	return err == nil && m.CanStop()
}

func TestNotation(t *testing.T) {
	for _, c := range []struct{ grammar, yes, no string }{
		{`root ::= "a" "b"?`, "a|ab", "|b|abb"},
		{"root ::= x (\"b\" |\n \"c\")* # end\nx ::= \"a\"", "a|abcb", "b|acx"},
		{"\n# c\nroot ::= \"a\" |\n \"d\"\n", "a|d", "ad"},
		{`root::=[a-c\]\\]{2,3}`, "ab|]]\\", "a|abca|d"},
		{`root ::= [^a-c]+ "."`, "xyz.|é日.|...", "a.|.|x"},
		{`root ::= "\x41\u00e9\U0001F600\n\"\\"`, "Aé😀\n\"\\", "A"},
		{`root ::= .`, "x|\n|日", "|xx|\xe6"},
		{`root ::= [-a] [a-] | "b"{2} | "c"{1,} | "d" {0,2}`, "--|aa|bb|c|ccc||d|dd", "b|ddd|ab"},
		{`root ::= "a" | `, "a|", "b"},
		{`root ::= "a"?*`, "|aaa", "b"},
		{`root ::= "<" root ">" | "x"`, "x|<<x>>", "<x|<<x>|x>"},
		{`root ::= item root | ""` + "\n" + `item ::= "a" | "b" root "c"`, "|aa|babcca|bac", "b|c|aba|bcc"},
		{`root ::= "a" root "b" | "a" root "c" | ""`, "|abac"[:3] + "|aacb", "acb"},
		{`root ::= [😀-🙏]+`, "😀😁🙏", "🙐|\xf0\x9f"},
		{`root ::= "é🦙日"`, "é🦙日", "é🦙"},
	} {
		for _, s := range strings.Split(c.yes, "|") {
			if !accepts(t, c.grammar, s) {
				t.Errorf("%s refuses %q", c.grammar, s)
			}
		}
		for _, s := range strings.Split(c.no, "|") {
			if accepts(t, c.grammar, s) {
				t.Errorf("%s accepts %q", c.grammar, s)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ grammar, want string }{
		{"", "line 1, column 1: there is no rule root"},
		{`{"type": "object"}`, "line 1, column 1: a rule begins with a name"},
		{"root ::= \"a\"\n  x", "line 2, column 4, rule \"x\": ::= is missing"},
		{`root ::= "a" y`, "column 14, rule \"root\": rule y is not defined"},
		{"root ::= \"a\"\nroot ::= \"b\"", "line 2, column 1, rule \"root\": the rule is defined twice"},
		{`root ::= "\xZZ"`, "column 11, rule \"root\": 2 hexadecimal digits"},
		{`root ::= "\ud800"`, "4 hexadecimal digits of a character"},
		{`root ::= [a-`, "this bracket is not closed"},
		{`root ::= [z-a]`, "column 11, rule \"root\": the range is reversed"},
		{`root ::= []`, "empty class"},
		{`root ::= ("a"`, "column 10, rule \"root\": this parenthesis is not closed"},
		{`root ::= "a`, "this quote is not closed"},
		{`root ::= "\q"`, "unknown escape"},
		{`root ::= "a"{2`, "} is missing"},
		{`root ::= "a"{3,2}`, "column 13, rule \"root\": the least count"},
		{`root ::= "a"{2000000000,2147483647}`, "counts go up to"},
		{`root ::= root "a" | "b"`, "column 10, rule \"root\": left recursion"},
		{"root ::= x\nx ::= \"\"? y \"a\"\ny ::= x | \"b\"", "left recursion"},
		{`root ::= "a" root`, "no text matches"},
		{`root ::= <think> "a"`, "column 10, rule \"root\": without a model tokens have no names"},
		{`root ::= <[12> "a"`, "a token is written"},
		{`root ::= <[99999999]>`, "up to 16777215"},
		{`root ::= !"a"`, "a token is written"},
		{`root ::= <a`, "a token is written"},
		{"root ::= \"a\xff\"", "not UTF-8"},
		{"root ::= " + strings.Repeat("(", 60_000) + `"a"` + strings.Repeat(")", 60_000), "nested more than 500 deep"},
	} {
		_, err := grammar.ParseGBNF(c.grammar)
		var syntax *gbnf.SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60s: %v, want %s", c.grammar, err, c.want)
		}
	}
}

// TestHostile has grammars that make naive matchers hang or run out of memory.
func TestHostile(t *testing.T) {
	var chain, doubling strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&chain, "r%d ::= \"x\" r%d | \"y\"\n", i, i+1)
	}
	fmt.Fprintf(&chain, "r20000 ::= \"z\"\nroot ::= r0")
	for i := range 40 {
		fmt.Fprintf(&doubling, "r%d ::= r%d r%d\n", i, i+1, i+1)
	}
	for _, c := range []struct{ name, grammar, yes, no string }{
		{"star of star", `root ::= ("a"* )*`, "aaa", "b"},
		{"star of maybe", `root ::= ("" | "x")*`, "xx", "y"},
		{"recursive star of nothing", `root ::= ("" | "[" root "]")*`, "[[]][]", "]"},
		{"count", `root ::= "a"{0,100000}`, strings.Repeat("a", 100_000), strings.Repeat("a", 100_001)},
		{"nested counts", `root ::= (("a"{0,200}){0,200}){0,200}`, strings.Repeat("a", 9_000), "b"},
		{"chain of rules", chain.String(), strings.Repeat("x", 20_000) + "z", "xz"},
		{"ambiguous", `root ::= "a" root "b" | "a" root "c" | "a" root "d" | ""`, strings.Repeat("a", 500) + strings.Repeat("bcd", 500)[:500], "ab" + "b"},
		{"doubling", doubling.String() + "r40 ::= \"a\" | \"[\" r40 \"]\"\nroot ::= r38", "aaa[a]", "aaa"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !accepts(t, c.grammar, c.yes) || accepts(t, c.grammar, c.no) {
				t.Error("wrong answer")
			}
		})
	}
	_, err := grammar.ParseGBNF(doubling.String() + "r40 ::= \"\" | \"[\" r40 \"]\"\nroot ::= r0")
	if !errors.Is(err, pushdown.ErrTooComplex) {
		t.Errorf("exponential: %v", err)
	}
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{`root ::= [^a-z]* ("b"{2,3} | root2)+`, "root ::= x\nx ::= \"[\" x? \"]\"", `root ::= "\u00e9" .`, `root ::= <[7]> !<[64]>+`, "root ::= ("} {
		f.Add(s, "[[]]")
	}
	f.Fuzz(func(t *testing.T, text, s string) {
		if len(text) > 200 || len(s) > 50 {
			return
		}
		g, err := grammar.ParseGBNF(text)
		if err != nil {
			return
		}
		m := g.Matcher(nil)
		if n, err := m.AcceptBytes([]byte(s)); err != nil && n > len(s) {
			t.Errorf("refused after %d of %d bytes", n, len(s))
		}
	})
}
