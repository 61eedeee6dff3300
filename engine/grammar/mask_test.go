package grammar_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/grammar/schema"
)

// words is a vocabulary of every byte and some longer tokens. The last token ends generation; the one before it has no text.
type words []string

func newWords(more ...string) words {
	var w words
	for b := range 256 {
		w = append(w, string([]byte{byte(b)}))
	}
	w = append(w, more...)
	return append(w, "", "")
}

func (w words) Size() int { return len(w) }

func (w words) Piece(t grammar.Token, _ bool) []byte { return []byte(w[t]) }

func (w words) IsEOG(t grammar.Token) bool { return int(t) == len(w)-1 }

func (w words) eog() grammar.Token { return grammar.Token(len(w) - 1) }

var small = newWords(`"`, `{"`, `":`, `": `, `",`, `", "`, `"}`, `"]`, `}}`, "[[", "]]", "12", "1.5", "true", "false", "null", "\n", "\n  ", "    ",
	"name", "na", "age", "hello", " world", "日本", "\xe6\x97", "\xa5x", "é", `\n`, `\u00`, "ab", "abc", "aaaaaaaa", strings.Repeat("x", 40), "the quick brown fox")

var grammars = map[string]string{
	"json":     `{"type":"object"}`,
	"keys":     `{"type":"object","properties":{"name":{"type":"string","maxLength":9},"na":{"type":"integer"}},"additionalProperties":{"type":"null"}}`,
	"length":   `{"type":"string","minLength":3,"maxLength":11}`,
	"pattern":  `{"type":"string","pattern":"^(ab|na)*$","maxLength":7}`,
	"not":      `{"type":"string","not":{"enum":["hello","abc"]}}`,
	"anything": `true`,
}

func compile(t testing.TB, text string) *grammar.Grammar {
	t.Helper()
	var g *grammar.Grammar
	var err error
	if strings.HasPrefix(text, "root") {
		g, err = grammar.ParseGBNF(text)
	} else {
		g, err = grammar.FromSchema([]byte(text), schema.Options{})
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return g
}

// TestMaskIsWhatCanBeTaken compares every mask of random walks with taking each token in turn.
func TestMaskIsWhatCanBeTaken(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	all := map[string]string{"nested": `root ::= "[" (root ("," root)*)? "]" | [a-z]+`, "any": `root ::= .{0,20}`}
	for name, text := range grammars {
		all[name] = text
	}
	v := grammar.NewVocabulary(small)
	mask := grammar.NewMask(small.Size())
	for name, text := range all {
		g := compile(t, text)
		for range 5 {
			m := g.Matcher(v)
			for n := 0; n < 30 && !m.Ended(); n++ {
				if err := m.Mask(mask); err != nil {
					t.Fatal(err)
				}
				var allowed []grammar.Token
				for id := range grammar.Token(small.Size()) {
					err := m.Clone().Accept(id)
					if (err == nil) != mask.Has(id) {
						t.Fatalf("%s: token %q: mask says %v, then %v", name, small[id], mask.Has(id), err)
					}
					if err == nil && id != small.eog() {
						allowed = append(allowed, id)
					}
				}
				if err := m.Accept(allowed[r.IntN(len(allowed))]); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func TestMatcher(t *testing.T) {
	g := compile(t, `{"type":"object","properties":{"name":{"const":"ab"}},"required":["name"],"additionalProperties":false}`)
	m := g.Matcher(grammar.NewVocabulary(small))
	take := func(s string) {
		t.Helper()
		for id := range small {
			if small[id] == s && id > 255 {
				if err := m.Accept(grammar.Token(id)); err != nil {
					t.Fatal(err)
				}
				return
			}
		}
	}
	take(`{"`)
	if err := m.Accept(grammar.Token('x')); !errors.Is(err, grammar.ErrRejected) {
		t.Errorf("a wrong name: %v", err)
	}
	before := m.Clone()
	take("name")
	take(`":`)
	if m.Forced() || !before.Forced() {
		t.Errorf("forced %v where a blank or a quote can come, %v where one letter can", m.Forced(), before.Forced())
	}
	m = before.Clone()
	take("na")
	if n, err := m.AcceptBytes([]byte(`me":"abc"`)); !errors.Is(err, grammar.ErrRejected) || n != 7 {
		t.Errorf("%d bytes, then %v", n, err)
	}
	if _, err := m.AcceptBytes([]byte(`me":"ab"}`)); err != nil || !m.CanStop() || !m.Ended() {
		t.Errorf("%v, stop %v, ended %v", err, m.CanStop(), m.Ended())
	}
	mask := grammar.NewMask(small.Size())
	if err := m.Mask(mask); err != nil || mask.Count() != 1 || !mask.Has(small.eog()) {
		t.Errorf("%v, %d tokens at the end", err, mask.Count())
	}
	atEnd := m.Clone()
	if err := m.Accept(small.eog()); err != nil || m.Mask(mask) != nil || mask.Count() != 0 {
		t.Errorf("%v, %d tokens after the end", err, mask.Count())
	}
	if atEnd.Accept(small.eog()) != nil || before.CanStop() {
		t.Error("the end, again")
	}
	for _, bad := range []grammar.Token{-1, grammar.Token(small.Size()), small.eog() - 1, small.eog()} {
		if err := before.Accept(bad); !errors.Is(err, grammar.ErrRejected) {
			t.Errorf("token %d: %v", bad, err)
		}
	}
}

// TestShared uses one grammar and vocabulary from several goroutines; the race detector watches.
func TestShared(t *testing.T) {
	g, v := compile(t, grammars["json"]), grammar.NewVocabulary(small)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			m, mask := g.Matcher(v), grammar.NewMask(small.Size())
			for _, c := range []byte(fmt.Sprintf(`{"name":[%d,"hello",{"x":null}]}`, i)) {
				if err := m.Mask(mask); err != nil || !mask.Has(grammar.Token(c)) {
					t.Errorf("%q: %v", c, err)
				}
				if err := m.Accept(grammar.Token(c)); err != nil {
					t.Error(err)
				}
			}
			if !m.Ended() {
				t.Error("not at the end")
			}
		})
	}
	wg.Wait()
}
