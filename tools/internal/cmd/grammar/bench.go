package grammar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/grammar/schema"
	"github.com/llamakit/llamakit/engine/vocab"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/progress"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func benchCommand() *cli.Command {
	var model string
	var asJSON bool
	return &cli.Command{
		Name:      "bench",
		Usage:     "run a folder of MaskBench cases: what passes, what is refused, and the times of masks",
		ArgsUsage: "DIR",
		Description: "A case is a JSON file with a schema and tests, each with data and whether it is valid (github.com/guidance-ai/jsonschemabench).\n" +
			"It passes when all valid data is accepted and all other data refused, a token at a time.",
		Flags: flags.Group("Benchmark",
			flags.New("-m, --model FILE", "GGUF file; only its tokenizer is read", flags.Text(&model)).Env("LLAMA_ARG_MODEL"),
			flags.New("--json", "print as JSON", flags.Switch(&asJSON)),
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			if model == "" || c.Args().Len() != 1 {
				return run.Usagef("give a model with -m FILE, and one folder")
			}
			cases, err := filepath.Glob(filepath.Join(c.Args().First(), "*.json"))
			if err != nil || len(cases) == 0 {
				return fmt.Errorf("%s: there are no .json files", c.Args().First())
			}
			v, err := flags.OpenVocab(model)
			if err != nil {
				return err
			}
			b := &bench{vocab: v, tokens: grammar.NewVocabulary(v), mask: grammar.NewMask(v.Size())}
			bar := progress.Steps(c.Root().ErrWriter, len(cases), "cases")
			for _, path := range cases {
				if err := b.run(ctx, path); err != nil {
					return err
				}
				_ = bar.Add(1)
			}
			_ = bar.Clear()
			return b.report.print(c.Root().Writer, asJSON)
		},
	}
}

// bench runs cases one after the other.
type bench struct {
	vocab  *vocab.Vocab
	tokens *grammar.Vocabulary
	mask   grammar.Mask
	report report
}

// benchCase is a file of MaskBench.
type benchCase struct {
	Schema json.RawMessage `json:"schema"`
	Tests  []struct {
		Valid bool            `json:"valid"`
		Data  json.RawMessage `json:"data"`
	} `json:"tests"`
}

func (b *bench) run(ctx context.Context, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	data, err := flags.ReadFile(path)
	if err != nil {
		return err
	}
	var c benchCase
	if err := json.Unmarshal(data, &c); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	start := time.Now()
	g, err := grammar.FromSchema(c.Schema, schema.Options{})
	b.report.compiled(time.Since(start))
	r := result{Case: filepath.Base(path), Tests: len(c.Tests), Passed: err == nil}
	var bad *schema.Error
	switch {
	case errors.As(err, &bad):
		r.Refused = bad
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, t := range c.Tests {
		if g == nil {
			break
		}
		accepted, err := b.accepts(g, spaced(t.Data))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		r.judge(accepted, t.Valid)
	}
	b.report.Results = append(b.report.Results, r)
	return nil
}

// accepts goes through text as a model would write it, with a mask for each token.
func (b *bench) accepts(g *grammar.Grammar, text string) (bool, error) {
	m := g.Matcher(b.tokens)
	for _, t := range b.vocab.Encode(text, vocab.EncodeOptions{}) {
		start := time.Now()
		if err := m.Mask(b.mask); err != nil {
			return false, err
		}
		b.report.masks = append(b.report.masks, time.Since(start))
		allowed := b.mask.Has(t)
		if err := m.Accept(t); (err == nil) != allowed {
			return false, fmt.Errorf("token %d: the mask says %v, and then: %w", t, allowed, err)
		}
		if !allowed {
			return false, nil
		}
	}
	return m.CanStop(), nil
}

// spaced is JSON with a blank after commas and colons, as most programs write it.
func spaced(data []byte) string {
	out := make([]byte, 0, len(data))
	inString := false
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case inString && c == '\\':
			out = append(out, c)
			i++
			c = data[i]
		case c == '"':
			inString = !inString
		case !inString && slices.Contains([]byte(" \t\r\n"), c):
			continue
		}
		out = append(out, c)
		if !inString && (c == ',' || c == ':') {
			out = append(out, ' ')
		}
	}
	return string(out)
}
