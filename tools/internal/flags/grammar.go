package flags

import (
	"encoding/json"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/grammar/schema"
)

// Grammar is what the command line says of the form of answers: of several flags the last one counts.
type Grammar struct {
	Grammar *grammar.Grammar // nil: any form
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
		notes = append(notes, fmt.Sprintf("the schema's keyword %s at %s is not enforced: %s", n.Keyword, n.Pointer, n.Reason))
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
	g.Grammar, err = grammar.ParseGBNF(text)
	return err
}

func (g *Grammar) setSchema(text string) (err error) {
	*g = Grammar{Schema: json.RawMessage(text)}
	g.Grammar, err = grammar.FromSchema([]byte(text), schema.Options{})
	return err
}
