package grammar

import (
	"slices"
	"sync"

	"github.com/llamakit/llamakit/engine/grammar/gbnf"
	"github.com/llamakit/llamakit/engine/grammar/pushdown"
	"github.com/llamakit/llamakit/engine/grammar/schema"
)

// ErrTooComplex is of a grammar, a step or a mask that would take too much time or memory.
var ErrTooComplex = pushdown.ErrTooComplex

// Grammar is a set of texts. It can be shared by goroutines.
type Grammar struct {
	start   *pushdown.State
	notices []schema.Notice
	named   []Token // by number or text

	mu       sync.Mutex // around what follows, and the states
	builder  *pushdown.Builder
	remember int // bytes of masks
}

// NamesTokens reports whether some of the grammar is tokens, whatever their text.
func (g *Grammar) NamesTokens() bool { return len(g.named) > 0 }

// ParseGBNF reads a grammar in llama.cpp's notation. An error is a *gbnf.SyntaxError or ErrTooComplex. Tokens in it have numbers.
func ParseGBNF(text string) (*Grammar, error) { return ParseGBNFTokens(text, nil) }

// ParseGBNFTokens is ParseGBNF of a grammar that may name tokens by their texts, which find knows.
func ParseGBNFTokens(text string, find gbnf.Lookup) (*Grammar, error) {
	b := pushdown.NewBuilder()
	root, named, err := gbnf.Compile(b, text, find)
	if err != nil {
		return nil, err
	}
	g, err := New(b, root)
	if err == nil {
		g.named = named
	}
	return g, err
}

// Names reports whether the grammar has a token t, not only its text.
func (g *Grammar) Names(t Token) bool { return slices.Contains(g.named, t) }

// New makes a grammar of an expression. The builder must not be used any more.
func New(b *pushdown.Builder, root pushdown.Expr) (*Grammar, error) {
	start, err := b.Start(root)
	if err != nil {
		return nil, err
	}
	return &Grammar{start: start, builder: b}, nil
}

// Matcher returns a matcher at the beginning of a text. The vocabulary may be nil for one that only takes bytes.
func (g *Grammar) Matcher(v *Vocabulary) *Matcher {
	return &Matcher{g: g, v: v, state: g.start}
}

// step is the state after text, or nil and how many bytes are possible.
func (g *Grammar) step(s *pushdown.State, text []byte) (*pushdown.State, int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.through(s, text)
}

// through is step with the lock held.
func (g *Grammar) through(s *pushdown.State, text []byte) (*pushdown.State, int, error) {
	for i, c := range text {
		if c == pushdown.TokenByte {
			return nil, i, nil
		}
		next, err := g.builder.Step(s, c)
		if next == nil {
			return nil, i, err
		}
		s = next
	}
	return s, len(text), nil
}
