package gbnf

import (
	"fmt"
	"slices"
	"testing"
)

const pairs = `root ::= "{" ws pair ("," ws pair)* "}"
pair ::= name ":" ws number
name ::= [a-z]+
number ::= "-"? [0-9]{1,3}
ws ::= " "*`

func TestTrace(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
		end  bool
	}{
		{"", []string{`[root] "{"`}, false},
		{"{", []string{`[root ws] " "`, `[root pair name] [a-z]`}, false},
		{"{ab", []string{`[root pair name] [a-z]`, `[root pair] ":"`}, false},
		{"{ab: 1", []string{`[root] ","`, `[root] "}"`, `[root pair number] [0-9]`}, false},
		{"{ab: 123", []string{`[root] ","`, `[root] "}"`}, false},
		{"{ab: 1, c:2}", nil, true},
		{"x", nil, false},
	} {
		next, end, err := Trace(pairs, c.text, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range next {
			got = append(got, fmt.Sprint(e.Rules, " ", e.Next))
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) || end != c.end {
			t.Errorf("%q: %q, end %t; want %q, %t", c.text, got, end, c.want, c.end)
		}
	}
}

func TestTraceForms(t *testing.T) {
	for _, c := range []struct{ grammar, text, want string }{
		{`root ::= "yes" | "no"`, "y", `"es"`},
		{`root ::= [^\n\]]`, "", `[^\n\]]`},
		{`root ::= ("a" ""){2}`, "a", `"a"`},
		{`root ::= "é" "日"`, "\xc3", `"é"`},
	} {
		next, _, err := Trace(c.grammar, c.text, nil)
		if err != nil || len(next) != 1 || next[0].Next != c.want {
			t.Errorf("%s after %q: %v, %v; want %s", c.grammar, c.text, next, err, c.want)
		}
	}
	if _, _, err := Trace(`root ::= x`, "", nil); err == nil {
		t.Error("a missing rule")
	}
	if _, _, err := Trace(`root ::= a*`+"\n"+`a ::= ("x" | "y")* | "x"`, "xyxyxyxy", nil); err != nil {
		t.Error(err)
	}
}

// FuzzTrace: what Trace says of a text's end is what the automaton says, and nothing hangs.
func FuzzTrace(f *testing.F) {
	f.Add(pairs, "{ab: 1}")
	f.Add(`root ::= ("" | "x")* | [a-]`, "xx")
	f.Add(`root ::= ("a"{0,200}){0,200}`, "aaaa")
	f.Fuzz(func(t *testing.T, grammar, text string) {
		if len(grammar) > 300 || len(text) > 100 {
			t.Skip()
		}
		Trace(grammar, text, AnyToken)
	})
}
