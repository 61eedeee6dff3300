package serve

import (
	"fmt"
	"sync"

	"github.com/llamakit/llamakit/engine/chat/calls"
	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/grammar/gbnf"
	"github.com/llamakit/llamakit/engine/grammar/schema"
	"github.com/llamakit/llamakit/engine/vocab"
)

// grammars remembers the grammars of the latest requests: their automata know the masks that were needed before.
type grammars struct {
	mu    sync.Mutex
	known map[string]any
	order []string // the oldest first
}

// maxGrammars bounds what they take: a grammar remembers up to 64 MiB of masks.
const maxGrammars = 16

func (g *grammars) gbnf(text string, v *vocab.Vocab) (*grammar.Grammar, error) {
	var find gbnf.Lookup
	if v != nil {
		find = v.Lookup
	}
	return remembered(g, "gbnf "+text, func() (*grammar.Grammar, error) { return grammar.ParseGBNFTokens(text, find) })
}

func (g *grammars) schema(data []byte, strict bool) (*grammar.Grammar, error) {
	return remembered(g, fmt.Sprintf("schema %t %s", strict, data), func() (*grammar.Grammar, error) {
		return grammar.FromSchema(data, schema.Options{Lenient: !strict})
	})
}

func (g *grammars) calls(f *calls.Format, tools []calls.Tool, o calls.Options) (*calls.Form, error) {
	key := fmt.Sprintf("calls %s %v", f.Name, o)
	for _, t := range tools {
		key += fmt.Sprintf(" %q %t %q", t.Name, t.Lenient, t.Parameters)
	}
	return remembered(g, key, func() (*calls.Form, error) { return f.Compile(tools, o) })
}

func remembered[T any](c *grammars, key string, compile func() (T, error)) (g T, err error) {
	c.mu.Lock()
	known, ok := c.known[key].(T)
	c.mu.Unlock()
	if ok {
		return known, nil
	}
	if g, err = compile(); err != nil {
		return g, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.known[key].(T); ok { // another was faster
		return known, nil
	}
	if c.known == nil {
		c.known = map[string]any{}
	}
	if c.known[key], c.order = g, append(c.order, key); len(c.order) > maxGrammars {
		delete(c.known, c.order[0])
		c.order = c.order[1:]
	}
	return g, nil
}
