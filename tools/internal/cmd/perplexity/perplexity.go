// Package perplexity is the command that measures models: how well one predicts a text, how far it is from another, how often
// it finds the right choice.
//
//	llama-perplexity -m model.gguf -f text.txt
//	llama-perplexity -m f16.gguf -f text.txt --kl-divergence-base f16.kld
//	llama-perplexity -m q4.gguf --kl-divergence-base f16.kld --kl-divergence
//	llama-perplexity -m model.gguf -f hellaswag.txt --hellaswag
//	llama-perplexity --compare f16.gguf q8.gguf q4.gguf -f text.txt
//
// Numbers, flags and files are those of llama.cpp v0.7.0. Results go to standard output: the running estimate too, unless a
// terminal shows it in the progress bar.
package perplexity

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
)

// options are what the command line says.
type options struct {
	flags.Model
	file, binary, prompt string

	chunks, stride, table int
	base                  string
	diverge               bool

	hellaswag, winogrande, choice                bool
	hellaswagTasks, winograndeTasks, choiceTasks int

	compare       bool
	json, csv, md bool

	operands       []string
	stdout, stderr io.Writer
}

// Command returns the command under the given name.
func Command(name string) *cli.Command {
	o := &options{chunks: -1, hellaswagTasks: 400}
	o.ContextHelp = "tokens of a chunk (default: 512); with --kl-divergence what the base has"
	return &cli.Command{
		Name:      name,
		Usage:     "measure how well models predict a text",
		ArgsUsage: "[--compare MODEL...]",
		Flags:     append(o.flags(), o.ModelFlags()...),
		Action: func(ctx context.Context, c *cli.Command) error {
			o.stdout, o.stderr, o.operands = c.Root().Writer, c.Root().ErrWriter, c.Args().Slice()
			measure, err := o.mode()
			if err != nil {
				return err
			}
			return measure(ctx)
		},
	}
}

func (o *options) flags() []cli.Flag {
	var ignored string
	var on bool
	all := flags.Group("Text",
		flags.New("-f, --file FILE", "text, or tasks", flags.Text(&o.file)),
		flags.New("-bf, --binary-file FILE", "tasks of --multiple-choice", flags.Text(&o.binary)),
		flags.New("-p, --prompt TEXT", "the text itself", flags.Text(&o.prompt)),
		flags.New("--chunks N", "chunks to look at (default: -1, all)", flags.Int(&o.chunks, -1, math.MaxInt32)),
		flags.New("--ppl-stride N", "begin a chunk every N tokens and score its last N; it is N/2 longer than -c (default: 0, chunks follow one another and the second half is scored)",
			flags.Int(&o.stride, 0, 1<<24)),
		flags.New("--ppl-output-type N", "1: the running estimate as a table (default: 0)", flags.Int(&o.table, 0, 1)),
	)
	all = append(all, flags.Group("Other measures",
		flags.New("--kl-divergence-base, --save-all-logits FILE", "file of log-probabilities: written, or with --kl-divergence read", flags.Text(&o.base)),
		flags.New("--kl-divergence", "how far the model is from the one that wrote the base", flags.Switch(&o.diverge)),
		flags.New("--hellaswag", "HellaSwag score of the tasks in -f", flags.Switch(&o.hellaswag)),
		flags.New("--hellaswag-tasks N", "tasks to draw (default: 400)", flags.Int(&o.hellaswagTasks, 1, math.MaxInt32)),
		flags.New("--winogrande", "Winogrande score of the tasks in -f", flags.Switch(&o.winogrande)),
		flags.New("--winogrande-tasks N", "tasks to draw (default: 0, all)", flags.Int(&o.winograndeTasks, 0, math.MaxInt32)),
		flags.New("--multiple-choice", "score of the tasks in -bf", flags.Switch(&o.choice)),
		flags.New("--multiple-choice-tasks N", "tasks to draw (default: 0, all)", flags.Int(&o.choiceTasks, 0, math.MaxInt32)),
		flags.New("--compare", "a table of several models on one text; the first is what the others are compared with", flags.Switch(&o.compare)),
	)...)
	all = append(all, flags.Group("Output",
		flags.New("--json", "the result as JSON", flags.Switch(&o.json)),
		flags.New("--csv", "with --compare: as CSV", flags.Switch(&o.csv)),
		flags.New("--md", "with --compare: as Markdown", flags.Switch(&o.md)),
	)...)
	return append(all, flags.Group("Output",
		flags.New("-np, --parallel N", "accepted; changes nothing", flags.Text(&ignored)).Hide(),
		flags.New("-s, --seed N", "accepted; changes nothing", flags.Text(&ignored)).Hide(),
		flags.New("--all-logits", "accepted; changes nothing", flags.Switch(&on)).Hide(),
	)...)
}

// mode is the one measure that is asked for.
func (o *options) mode() (func(context.Context) error, error) {
	measure, asked := o.perplexity, 0
	for _, m := range []struct {
		on      bool
		measure func(context.Context) error
	}{{o.diverge, o.divergence}, {o.hellaswag, o.hellaSwag}, {o.winogrande, o.winoGrande}, {o.choice, o.multipleChoice}, {o.compare, o.comparison}} {
		if m.on {
			measure, asked = m.measure, asked+1
		}
	}
	switch {
	case asked > 1:
		return nil, run.Usagef("give one of --kl-divergence, --hellaswag, --winogrande, --multiple-choice and --compare")
	case !o.compare && len(o.operands) > 0:
		return nil, run.Usagef("unexpected argument %q; models to compare follow --compare", o.operands[0])
	case !o.compare && (o.csv || o.md):
		return nil, run.Usagef("--csv and --md go with --compare; --json always does")
	case o.csv && o.md || o.json && (o.csv || o.md):
		return nil, run.Usagef("give one of --json, --csv and --md")
	case o.chunks == 0:
		return nil, run.Usagef("--chunks is 0: nothing to do (-1 is all)")
	case o.diverge && o.base == "":
		return nil, run.Usagef("--kl-divergence needs the base: --kl-divergence-base FILE")
	case o.stride > 0 && (asked > 0 || o.base != ""):
		return nil, run.Usagef("--ppl-stride goes with plain perplexity only")
	case o.base != "" && asked > 0 && !o.diverge:
		return nil, run.Usagef("--kl-divergence-base goes with plain perplexity, which writes it, or with --kl-divergence, which reads it")
	}
	return measure, nil
}

// text reads what is to be measured on. name is for messages.
func (o *options) text() (name string, data []byte, err error) {
	switch {
	case given(o.file)+given(o.binary)+given(o.prompt) > 1:
		return "", nil, run.Usagef("give one text: -f, -bf or -p")
	case o.prompt != "":
		return "the prompt", []byte(o.prompt), nil
	case o.file != "":
		name = o.file
	case o.binary != "":
		name = o.binary
	default:
		return "", nil, run.Usagef("no text; give one with -f FILE")
	}
	data, err = flags.ReadFile(name)
	if err == nil && len(data) == 0 {
		err = fmt.Errorf("%s is empty", name)
	}
	return name, data, err
}

func given(s string) int {
	if s == "" {
		return 0
	}
	return 1
}
