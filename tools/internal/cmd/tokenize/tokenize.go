// Package tokenize is the command that shows how a model's tokenizer cuts a text.
package tokenize

import (
	"bufio"
	"context"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tools/internal/terminal"
)

type options struct {
	model, file                                string
	prompt                                     *string // nil: not given
	stdin, ids, json, count, noBOS, noSpecials bool
	escape                                     bool
	colours                                    bool // of pieces
}

// Command returns the command under the given name.
func Command(name string) *cli.Command {
	o := &options{escape: true}
	return &cli.Command{
		Name:      name,
		Usage:     "show the tokens of a text",
		ArgsUsage: "[TEXT]",
		Flags: flags.Group("Tokens",
			flags.New("-m, --model FILE", "GGUF file; only its tokenizer is read", flags.Text(&o.model)).Env("LLAMA_ARG_MODEL"),
			flags.New("-p, --prompt TEXT", "the text", flags.Pointer(&o.prompt, flags.Text)),
			flags.New("-e, --escape | --no-escape", `\n, \t, \", \\ and \x41 in the text of -p are escapes (default: they are)`, flags.Switch(&o.escape)),
			flags.New("-f, --file FILE", "file with the text", flags.Text(&o.file)),
			flags.New("--stdin", "read the text from standard input", flags.Switch(&o.stdin)),
			flags.New("--ids", "print a list of ids only, such as [1, 2, 3]", flags.Switch(&o.ids)),
			flags.New("--json", "print one JSON object a token: id, piece, kind, and where in the text it stands, in bytes", flags.Switch(&o.json)),
			flags.New("--show-count", "print the number of tokens, too", flags.Switch(&o.count)),
			flags.New("--no-bos", "do not put BOS or EOS around the text", flags.Switch(&o.noBOS)),
			flags.New("--no-parse-special", "spellings of control tokens are text", flags.Switch(&o.noSpecials)),
		),
		Action: func(_ context.Context, c *cli.Command) error {
			text, err := o.text(c)
			if err != nil {
				return err
			}
			if o.model == "" {
				return run.Usagef("no model; give one with -m FILE")
			}
			v, err := flags.OpenVocab(o.model)
			if err != nil {
				return err
			}
			o.colours = terminal.Colours(c.Root().Writer)
			w := bufio.NewWriter(c.Root().Writer)
			if err := o.print(w, v, text); err != nil {
				return err
			}
			return w.Flush()
		},
	}
}

// text takes the text from the one place that the command line names.
func (o *options) text(c *cli.Command) (string, error) {
	sources := 0
	for _, given := range []bool{c.Args().Present(), o.prompt != nil, o.file != "", o.stdin} {
		if given {
			sources++
		}
	}
	if sources != 1 || c.Args().Len() > 1 {
		return "", run.Usagef("give one text: as an argument, with -p, -f or --stdin")
	}
	switch {
	case o.stdin:
		data, err := flags.ReadAll("standard input", c.Root().Reader)
		return string(data), err
	case o.file != "":
		data, err := flags.ReadFile(o.file)
		return string(data), err
	case o.prompt != nil && o.escape:
		return flags.Unescape(*o.prompt), nil
	case o.prompt != nil:
		return *o.prompt, nil
	}
	return c.Args().First(), nil
}
