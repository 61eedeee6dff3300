// Package embed is the command that turns texts into vectors, or scores pairs of them with a reranker.
//
//	llama-embed -m model.gguf "a cat" "a dog"
//	llama-embed -m model.gguf -f lines.txt --embd-output-format npy -o vectors.npy
//	llama-embed -m reranker.gguf -f pairs.txt
//
// Each line of -p, of -f or of standard input is a text; for a reranker it is a query and a document with a tab between. Flags and
// numbers are those of llama.cpp v0.7.0's llama-embedding.
package embed

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tools/internal/terminal"
)

// options are what the command line says.
type options struct {
	flags.Model
	prompt              *string // nil: not given
	file                string
	separator, pairs    string
	escape, truncate    bool
	pooling             string
	normalize, parallel int
	format, output      string

	operands       []string
	stdin          io.Reader
	stdout, stderr io.Writer
}

// Command returns the command under the given name.
func Command(name string) *cli.Command {
	o := &options{separator: "\n", pairs: "\t", escape: true, normalize: engine.NormEuclid}
	o.ContextHelp = "tokens a text can have (default: 0, what the model was trained for)"
	return &cli.Command{
		Name:      name,
		Usage:     "turn texts into vectors, or score them with a reranker",
		ArgsUsage: "[TEXT...]",
		Flags:     append(o.flags(), o.ModelFlags()...),
		Action: func(ctx context.Context, c *cli.Command) error {
			o.stdin, o.stdout, o.stderr, o.operands = c.Root().Reader, c.Root().Writer, c.Root().ErrWriter, c.Args().Slice()
			return o.run(ctx)
		},
	}
}

func (o *options) flags() []cli.Flag {
	all := flags.Group("Texts",
		flags.New("-p, --prompt TEXT", "texts, one a line", flags.Pointer(&o.prompt, flags.Text)),
		flags.New("-f, --file FILE", "file of texts, one a line (default: standard input)", flags.Text(&o.file)),
		flags.New("-e, --escape | --no-escape", `\n, \t, \", \\ and \x41 in -p are escapes (default: they are)`, flags.Switch(&o.escape)),
		flags.New("--embd-separator TEXT", "what separates texts in -p, -f and standard input (default: the end of a line)", flags.Text(&o.separator)),
		flags.New("--cls-separator TEXT", "what separates query and document for a reranker (default: a tab)", flags.Text(&o.pairs)),
		flags.New("--truncate", "cut texts that are too long for the model, instead of refusing them", flags.Switch(&o.truncate)),
	)
	all = append(all, flags.Group("Vectors",
		flags.New("--pooling KIND", "none (a vector a token), mean, cls, last, or rank (scores); default: the model's own",
			flags.OneOf(&o.pooling, "none", "mean", "cls", "last", "rank")).Env("LLAMA_ARG_POOLING"),
		flags.New("--embd-normalize N", "-1: not; 0: greatest value 32760; 1: sum of sizes 1; 2: length 1; more: that p-norm 1 (default: 2)",
			flags.Int(&o.normalize, -1, math.MaxInt32)),
		flags.New("-np, --parallel N", "texts computed at the same time (default: 32)", flags.Int(&o.parallel, 1, 1024)).Env("LLAMA_ARG_N_PARALLEL"),
	)...)
	return append(all, flags.Group("Output",
		flags.New("--embd-output-format FORMAT", "text (vectors and a table of cosines), raw (a line a vector), array, json (as OpenAI's), json+ (with cosines), csv or npy (default: text)",
			flags.OneOf(&o.format, "", "text", "raw", "array", "json", "json+", "csv", "npy")),
		flags.New("-o, --output FILE", "write there (default: standard output)", flags.Text(&o.output)),
	)...)
}

func (o *options) run(ctx context.Context) error {
	texts, err := o.texts()
	if err != nil {
		return err
	}
	if o.format == "npy" && o.output == "" && terminal.Is(o.stdout) {
		return run.Usagef("npy is no text for a terminal; give a file with -o")
	}
	o.Options.Embed, o.Options.Pooling, o.Options.Sequences = true, engine.Pooling(o.pooling), o.parallel
	m, err := o.Open(ctx, o.stderr)
	if err != nil {
		return err
	}
	defer m.Close()
	inputs, err := o.tokens(m, texts)
	if err != nil {
		return fmt.Errorf("%s: %w", o.Path, err)
	}
	return o.write(func(w io.Writer) error {
		return o.embed(ctx, m, inputs, o.formatter(w, m, inputs))
	})
}
