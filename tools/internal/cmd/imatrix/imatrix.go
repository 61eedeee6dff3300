// Package imatrix is the command that runs a text through a model and records how large the activations were that each
// column of its matrices met: an importance matrix, which llama-quantize takes.
//
//	llama-imatrix -m model-f16.gguf -f calibration.txt
//	llama-imatrix --in-file a.gguf,b.gguf -o both.gguf
//	llama-imatrix --in-file imatrix.gguf --show-statistics
//
// The text is cut into chunks of -c tokens, each a sequence of its own. Files, flags and numbers are those of llama.cpp
// v0.7.0. Unlike there, a run that was interrupted goes on where it stopped when the same command is given again.
package imatrix

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/formats/imatrix"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
)

// options are what the command line says.
type options struct {
	flags.Model
	file, output, format   string
	inputs                 []string
	firstChunk, chunks     int
	saveEvery, copyEvery   int
	processOutput, special bool
	perplexity, statistics bool

	stdout, stderr io.Writer
}

// Command returns the command under the given name.
func Command(name string) *cli.Command {
	o := &options{output: "imatrix.gguf", format: "gguf", chunks: -1, saveEvery: 10, perplexity: true}
	o.Options.Context = 512
	o.ContextHelp = "tokens a chunk (default: 512, 0 = what the model was trained for)"
	return &cli.Command{
		Name:  name,
		Usage: "measure on a text which columns of a model's matrices matter, for quantize",
		Flags: append(o.flags(), o.ModelFlags()...),
		Action: func(ctx context.Context, c *cli.Command) error {
			o.stdout, o.stderr = c.Root().Writer, c.Root().ErrWriter
			if c.Args().Present() {
				return run.Usagef("unexpected operand %q; the text is given with -f", c.Args().First())
			}
			return o.run(ctx)
		},
	}
}

func (o *options) flags() []cli.Flag {
	all := flags.Group("Text",
		flags.New("-f, --file FILE", "the text", flags.Text(&o.file)),
		flags.New("--chunks N", "chunks to compute at most (default: -1, all)", flags.Int(&o.chunks, -1, math.MaxInt32)),
		flags.New("--chunk, --from-chunk N", "chunks to leave out at the beginning (default: 0)", flags.Int(&o.firstChunk, 0, math.MaxInt32)),
		flags.New("--parse-special", "spellings of control tokens in the text are those tokens", flags.Switch(&o.special)),
	)
	all = append(all, flags.Group("Matrix",
		flags.New("-o, --output, --output-file FILE", "the matrix (default: imatrix.gguf); one that is unfinished is gone on with", flags.Text(&o.output)),
		flags.New("--output-format FORMAT", "gguf or dat, llama.cpp's older format (default: gguf)", flags.OneOf(&o.format, "gguf", "dat")),
		flags.New("-ofreq, --output-frequency N", "save after every N chunks (default: 10)", flags.Int(&o.saveEvery, 1, math.MaxInt32)),
		flags.New("--save-frequency N", "keep a copy, FILE.at_CHUNK, after every N chunks (default: 0, none)", flags.Int(&o.copyEvery, 0, math.MaxInt32)),
		flags.New("--in-file FILE,...", "matrices to add to; without -f they are merged", flags.Func(o.addInputs)),
		flags.New("--process-output", "also record the output matrix", flags.Switch(&o.processOutput)),
	)...)
	return append(all, flags.Group("Information",
		flags.New("--show-statistics", "print what --in-file holds, and compute nothing", flags.Switch(&o.statistics)),
		flags.New("--ppl | --no-ppl", "estimate the perplexity on the way (default: on)", flags.Switch(&o.perplexity)),
	)...)
}

func (o *options) addInputs(list string) error {
	o.inputs = append(o.inputs, strings.Split(list, ",")...)
	return nil
}

func (o *options) run(ctx context.Context) error {
	switch {
	case o.statistics && len(o.inputs) == 0:
		return run.Usagef("--show-statistics needs a matrix; give it with --in-file")
	case o.statistics:
		return o.showStatistics()
	case o.file == "" && len(o.inputs) == 0:
		return run.Usagef("nothing to do; give a text with -f, or matrices with --in-file")
	case o.chunks == 0:
		return run.Usagef("--chunks is 0: nothing to do (-1 is all)")
	}
	if err := o.checkOutput(); err != nil {
		return err
	}
	if o.format == "gguf" && !strings.HasSuffix(o.output, ".gguf") {
		fmt.Fprintf(o.stderr, "note: %s will be GGUF; the older format is --output-format dat\n", o.output)
	}
	if o.file == "" {
		return o.merge()
	}
	return o.compute(ctx)
}

// merge writes the sum of the inputs.
func (o *options) merge() error {
	sum, err := o.sumInputs(0)
	if err != nil {
		return err
	}
	if o.Path != "" {
		if err := o.checkFits(sum); err != nil {
			return err
		}
	}
	return o.finish(sum)
}

// save writes a matrix at path in the format that was asked for.
func (o *options) save(m *imatrix.Matrix, path string) error {
	if o.format == "dat" {
		return m.SaveDat(path)
	}
	m.Describe()
	return m.Save(path)
}
