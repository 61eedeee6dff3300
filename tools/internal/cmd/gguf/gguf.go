// Package gguf is the command that looks into GGUF files: what is in them, how two differ, whether one is sound. It also
// changes their keys and names.
//
//	llama-gguf model.gguf
//	llama-gguf --kv rope hf://owner/repo/model.gguf
//	llama-gguf diff a.gguf b.gguf
//	llama-gguf set model.gguf general.name "My model"
//
// Each subcommand has a file of its own.
package gguf

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/gguf/remote"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
)

// Command returns the command under the given name.
func Command(name string) *cli.Command {
	o := &show{}
	return &cli.Command{
		Name:      name,
		Usage:     "show, compare, check and change GGUF files",
		ArgsUsage: "FILE [FILE2]",
		Description: "FILE is a file, any member of a set of shards, or an address: https://host/model.gguf or hf://owner/repo/model.gguf.\n" +
			"Of addresses only the header is read (HF_TOKEN, HF_ENDPOINT: as for Hugging Face's tools).",
		Commands: []*cli.Command{diffCommand(), checkCommand(), hashCommand(), dumpCommand(), tokensCommand(), typesCommand(),
			setCommand(), removeCommand(), renameCommand(), templateCommand()},
		Flags: flags.Group("What to show",
			flags.New("--kv PATTERN", "only keys with PATTERN in their name, or that match it where it has * or ?; values in full", flags.Text(&o.pattern)),
			flags.New("--tensors", "only the tensors", flags.Switch(&o.tensors)),
			flags.New("--template", "the chat template, as it is", flags.Switch(&o.template)),
			flags.New("--json", "as JSON", flags.Switch(&o.json)),
			flags.New("--salvage", "of a damaged file, what can be read; the exit code is 1", flags.Switch(&o.salvage)),
			flags.New("--no-tui", "text on a terminal, too, instead of the inspector", flags.Switch(&o.plain)),
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			args := c.Args().Slice()
			if o.fullScreen(c) && forInspector(args) {
				return inspectFiles(ctx, args)
			}
			path, err := showOperand(args)
			if err != nil {
				return err
			}
			if o.pattern != "" && o.tensors || o.template && (o.pattern != "" || o.tensors || o.json) {
				return run.Usagef("--kv, --tensors and --template exclude each other, and a template is no JSON")
			}
			o.out = c.Root().Writer
			return o.run(ctx, path)
		},
	}
}

// showOperand also takes llama.cpp's form `FILE r [n]`, which reads a file.
func showOperand(args []string) (string, error) {
	switch {
	case len(args) == 0:
		return "", run.Usagef("give a file")
	case len(args) == 1, len(args) <= 3 && args[1] == "r":
		return args[0], nil
	case args[1] == "w":
		return "", run.Usagef("%q would write a file for tests, which this program does not", "w")
	}
	if _, err := os.Stat(args[0]); err != nil && !remote.Is(args[0]) {
		return "", run.Usagef("%q is neither a command nor a file", args[0])
	}
	return "", run.Usagef("give one file (diff compares two)")
}

// openLocal opens a file whose weights are to be read, all of them, or that is to be changed.
func openLocal(path, why string) (*gguf.File, error) {
	if remote.Is(path) {
		return nil, fmt.Errorf("%s: %s (download the file)", gguf.Printable(path), why)
	}
	return gguf.Open(path)
}

// operands checks their number.
func operands(c *cli.Command, n int) ([]string, error) {
	if c.Args().Len() != n {
		return nil, run.Usagef("give %s", c.ArgsUsage)
	}
	return c.Args().Slice(), nil
}

// streams are where a subcommand writes.
type streams struct{ out, err io.Writer }

func streamsOf(c *cli.Command) streams { return streams{c.Root().Writer, c.Root().ErrWriter} }
