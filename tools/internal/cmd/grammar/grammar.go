// Package grammar is the command about grammars and JSON Schemas: what they accept, and how fast.
//
//	llama grammar check --schema person.json answer.json
//	llama grammar check --grammar list.gbnf answer.txt
//	llama grammar bench -m model.gguf cases/
package grammar

import (
	"bytes"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/grammar/schema"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
)

// Command returns the command under the given name.
func Command(name string) *cli.Command {
	return &cli.Command{
		Name:     name,
		Usage:    "check texts against a grammar or JSON Schema, and measure token masks",
		Commands: []*cli.Command{checkCommand(), benchCommand()},
	}
}

// source is where a grammar comes from.
type source struct {
	schemaFile, grammarFile string
	options                 schema.Options
}

func (s *source) flags() []cli.Flag {
	return flags.Group("Grammar",
		flags.New("--schema FILE", "JSON Schema", flags.Text(&s.schemaFile)),
		flags.New("--grammar FILE", "grammar in GBNF, with a rule root", flags.Text(&s.grammarFile)),
		flags.New("--compact", "JSON without white space between its parts", flags.Switch(&s.options.Compact)),
		flags.New("--lenient", "drop keywords that cannot be enforced, and list them, where that is an error otherwise", flags.Switch(&s.options.Lenient)),
	)
}

func (s *source) open() (*grammar.Grammar, error) {
	if (s.schemaFile == "") == (s.grammarFile == "") {
		return nil, run.Usagef("give one of --schema and --grammar")
	}
	if s.schemaFile != "" {
		data, err := flags.ReadFile(s.schemaFile)
		if err != nil {
			return nil, err
		}
		return grammar.FromSchema(data, s.options)
	}
	data, err := flags.ReadFile(s.grammarFile)
	if err != nil {
		return nil, err
	}
	return grammar.ParseGBNF(string(data))
}

// text is what of a file counts: around JSON, white space does not.
func (s *source) text(data []byte) []byte {
	if s.schemaFile != "" {
		return bytes.TrimSpace(data)
	}
	return data
}
