// Package logits is the command that writes a model's logits, for comparing engines.
package logits

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/outfile"
	"github.com/llamakit/llamakit/tools/internal/run"
)

type options struct {
	flags.Model
	tokens, out, dump string
	greedy            int
}

// Command returns the command under the given name.
func Command(name string) *cli.Command {
	o := &options{}
	return &cli.Command{
		Name:  name,
		Usage: "write the logits of every position of a token sequence",
		Flags: append(flags.Group("Logits",
			flags.New("--tokens LIST", "token ids separated by commas", flags.Text(&o.tokens)),
			flags.New("-o, --output FILE", "float32 logits, little-endian, one row of the vocabulary's size a position; - is standard output", flags.Text(&o.out)),
			flags.New("--dump-tensors DIR", "write every named intermediate as DIR/NAME.f32, one row a position", flags.Text(&o.dump)),
			flags.New("--greedy N", "print the N most likely tokens that follow, in one line", flags.Int(&o.greedy, 0, 1<<20)),
		), o.ModelFlags()...),
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return run.Usagef("unexpected argument %q", c.Args().First())
			}
			tokens, err := parseTokens(o.tokens)
			if err != nil {
				return run.Usagef("--tokens: %v", err)
			}
			if o.out == "" && o.dump == "" && o.greedy == 0 {
				return run.Usagef("nothing to do: give -o, --dump-tensors or --greedy")
			}
			return o.run(ctx, tokens, c.Root().Writer, c.Root().ErrWriter)
		},
	}
}

func parseTokens(list string) ([]engine.Token, error) {
	var out []engine.Token
	for _, word := range strings.Split(list, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(word), 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%q is not a token id; want a list such as 1,2,3", word)
		}
		out = append(out, engine.Token(n))
	}
	return out, nil
}

func (o *options) run(ctx context.Context, tokens []engine.Token, stdout, stderr io.Writer) error {
	if flags.SameFile(o.out, o.Path) {
		return fmt.Errorf("%s is the model; write to another file", o.out)
	}
	o.UseF32Cache()
	o.Options.Keep = o.dump != ""
	if o.Options.Keep { // all rows in one batch, so that every tensor has every row
		o.Options.Batch = max(o.Options.Batch, len(tokens))
		o.Options.Outputs = o.Options.Batch
	}
	if o.Options.Context == 0 {
		o.Options.Context = len(tokens) + o.greedy + 64 // as llama.cpp's golden tool has it: longrope depends on it
	}
	m, err := o.Open(ctx, stderr)
	if err != nil {
		return err
	}
	defer m.Close()
	if o.out != "" || o.dump != "" {
		rows, err := m.Logits(ctx, tokens)
		if err != nil {
			return err
		}
		if err := o.write(stdout, m, rows); err != nil {
			return err
		}
	}
	if o.greedy == 0 {
		return nil
	}
	return o.follow(ctx, m, tokens, stdout)
}

func (o *options) write(stdout io.Writer, m *engine.Model, rows [][]float32) error {
	if o.dump != "" {
		if err := os.MkdirAll(o.dump, 0o777); err != nil {
			return err
		}
		err := m.Tensors(func(name string, _ int, values []float32) error {
			return writeFloats(filepath.Join(o.dump, name+".f32"), values)
		})
		if err != nil {
			return err
		}
	}
	if o.out == "" {
		return nil
	}
	if o.out == "-" {
		return putFloats(stdout, rows...)
	}
	return writeFloats(o.out, rows...)
}

func putFloats(w io.Writer, rows ...[]float32) error {
	for _, row := range rows {
		if err := binary.Write(w, binary.LittleEndian, row); err != nil {
			return err
		}
	}
	return nil
}

func writeFloats(path string, rows ...[]float32) error {
	return outfile.Write(path, nil, func(w io.Writer) error { return putFloats(w, rows...) })
}

func (o *options) follow(ctx context.Context, m *engine.Model, tokens []engine.Token, stdout io.Writer) error {
	r := engine.Request{Tokens: tokens, MaxTokens: o.greedy, Sampling: sample.Params{}, PastEOG: true}
	var words []string
	for e, err := range m.Generate(ctx, r) {
		if err != nil {
			return err
		}
		for _, t := range e.Tokens {
			words = append(words, fmt.Sprint(t))
		}
	}
	_, err := fmt.Fprintln(stdout, strings.Join(words, " "))
	return err
}
