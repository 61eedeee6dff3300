package grammar_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine/grammar"
)

// TestTokens writes texts in given tokens: a token that a grammar names is no text, and text no token.
func TestTokens(t *testing.T) {
	v := newWords("<think>", "ab", "\xff", "\xff\x00\x00\x00\x41")
	id := func(s string) (grammar.Token, bool) {
		for i := len(v) - 1; i >= 0; i-- {
			if v[i] == s {
				return grammar.Token(i), true
			}
		}
		return 0, false
	}
	tokens := grammar.NewVocabulary(v)
	for _, c := range []struct {
		grammar string
		tokens  string // with blanks between them
		ok      bool
	}{
		{`root ::= <think> "x"`, "<think> x", true},
		{`root ::= <think> "x"`, "< t h i n k > x", false},
		{`root ::= "<think>" "x"`, "<think> x", true},
		{`root ::= <[97]> "b"`, "a b", true},
		{`root ::= <[97]> "b"`, "ab", false},
		{`root ::= <[97]> "b" | "ab"`, "a b", true},
		{`root ::= <[97]> "c" | "ab"`, "a b", true},
		{`root ::= <[97]> "c" | "ab"`, "a c", true},
		{`root ::= <[97]> "c" | "ab"`, "a d", false},
		{`root ::= <think> !<think>* <think>`, "<think> a ab \xff <think>", true},
		{`root ::= !<think>`, "<think>", false},
		{`root ::= (<[98]> | !<[98]>){3}`, "a b <think>", true},
		{`root ::= <[65]>`, "\xff\x00\x00\x00\x41", false},
		{`root ::= [^a]`, "\xff", false},
	} {
		g, err := grammar.ParseGBNFTokens(c.grammar, id)
		if err != nil {
			t.Fatal(err)
		}
		m, mask := g.Matcher(tokens), grammar.NewMask(v.Size())
		for s := range strings.SplitSeq(c.tokens, " ") {
			token, _ := id(s)
			if err = m.Mask(mask); err != nil {
				t.Fatal(err)
			}
			for other := range grammar.Token(v.Size()) {
				if got := m.Clone().Accept(other) == nil; got != mask.Has(other) {
					t.Errorf("%s, %s: token %d: mask says %v, then %v", c.grammar, c.tokens, other, mask.Has(other), got)
				}
			}
			if err = m.Accept(token); err != nil {
				break
			}
		}
		if ok := err == nil && m.CanStop(); ok != c.ok {
			t.Errorf("%s, %s: %v, %v", c.grammar, c.tokens, ok, err)
		}
	}
	if _, err := grammar.ParseGBNFTokens(`root ::= <what>`, id); err == nil || !strings.Contains(err.Error(), "<what> is no token of the vocabulary") {
		t.Error(err)
	}
	g := compile(t, fmt.Sprintf(`root ::= <[%d]>`, v.eog()))
	if err := g.Matcher(tokens).Accept(v.eog()); !errors.Is(err, grammar.ErrRejected) {
		t.Errorf("the end as a token: %v", err)
	}
}
