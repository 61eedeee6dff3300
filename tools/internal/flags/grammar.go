package flags

import (
	"encoding/json"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/grammar/gbnf"
	"github.com/llamakit/llamakit/engine/grammar/schema"
	"github.com/llamakit/llamakit/engine/vocab"
)

// Grammar is what the command line says of the form of answers: of several flags the last one counts.
type Grammar struct {
	Grammar *grammar.Grammar // nil: any form, or one that Bind makes
	GBNF    string           // of which it was made, or ""
	Schema  json.RawMessage  // likewise, or nil
}

// GrammarFlags are the flags of grammars and JSON Schemas, with llama.cpp's names.
func (g *Grammar) GrammarFlags() []cli.Flag {
	return Group("Form of the answer",
		New("--grammar TEXT", "answers are of this grammar, in GBNF", Func(g.setGBNF)),
		New("--grammar-file FILE", "file with the grammar", g.file(g.setGBNF)),
		New("-j, --json-schema JSON", "answers are JSON that this schema allows; {} for any", Func(g.setSchema)),
		New("-jf, --json-schema-file FILE", "file with the schema", g.file(g.setSchema)),
	)
}

// Notes name the keywords of a schema that are not enforced.
func (g *Grammar) Notes() (notes []string) {
	if g.Grammar == nil {
		return nil
	}
	for _, n := range g.Grammar.Notices() {
		notes = append(notes, n.String())
	}
	return notes
}

func (g *Grammar) file(set func(string) error) Value {
	return Func(func(name string) error {
		data, err := ReadFile(name)
		if err != nil {
			return err
		}
		return set(string(data))
	})
}

func (g *Grammar) setGBNF(text string) (err error) {
	if *g = (Grammar{}); text == "" {
		return nil
	}
	g.GBNF = text
	named := false
	parsed, err := grammar.ParseGBNFTokens(text, func(string) (int32, bool) { named = true; return 0, true })
	if !named {
		g.Grammar = parsed
	}
	return err
}

// Unbound is the GBNF of a grammar that names tokens, which needs a vocabulary; "" where there is none.
func (g *Grammar) Unbound() string {
	if g.Grammar != nil {
		return ""
	}
	return g.GBNF
}

// Bind finds the tokens that a grammar names; v may be nil.
func (g *Grammar) Bind(v *vocab.Vocab) (err error) {
	text := g.Unbound()
	if text == "" {
		return nil
	}
	var find gbnf.Lookup
	if v != nil {
		find = v.Lookup
	}
	if g.Grammar, err = grammar.ParseGBNFTokens(text, find); err != nil {
		return fmt.Errorf("--grammar: %w", err)
	}
	return nil
}

func (g *Grammar) setSchema(text string) (err error) {
	*g = Grammar{Schema: json.RawMessage(text)}
	g.Grammar, err = grammar.FromSchema([]byte(text), schema.Options{})
	return err
}
