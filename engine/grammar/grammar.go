package grammar

import (
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

	mu       sync.Mutex // around what follows, and the states
	builder  *pushdown.Builder
	remember int // bytes of masks
}

// ParseGBNF reads a grammar in llama.cpp's notation. An error is a *gbnf.SyntaxError or ErrTooComplex.
func ParseGBNF(text string) (*Grammar, error) {
	b := pushdown.NewBuilder()
	root, err := gbnf.Compile(b, text)
	if err != nil {
		return nil, err
	}
	return New(b, root)
}

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
	for i, c := range text {
		next, err := g.builder.Step(s, c)
		if next == nil {
			return nil, i, err
		}
		s = next
	}
	return s, len(text), nil
}
