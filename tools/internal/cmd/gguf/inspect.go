package gguf

import (
	"context"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/gguf/remote"
	"github.com/llamakit/llamakit/tools/internal/cmd/quantize"
	"github.com/llamakit/llamakit/tools/internal/terminal"
	"github.com/llamakit/llamakit/tui/inspect"
)

// fullScreen reports whether there is a terminal, and nothing was asked for that is text.
func (o *show) fullScreen(c *cli.Command) bool {
	asked := o.pattern != "" || o.tensors || o.template || o.json || o.plain || o.salvage
	return !asked && terminal.Is(c.Root().Reader) && terminal.Draws(c.Root().Writer)
}

// forInspector reports whether operands are one file or two, and not llama.cpp's `FILE r`.
func forInspector(args []string) bool {
	if len(args) != 2 || args[1] == "r" || args[1] == "w" {
		return len(args) == 1
	}
	_, err := os.Stat(args[0])
	return err == nil || remote.Is(args[0])
}

// inspectFiles looks into one file, or into two that are compared, on the terminal.
func inspectFiles(ctx context.Context, paths []string) error {
	var files []inspect.File
	for _, path := range paths {
		f, damage := openAnyway(ctx, path)
		if f == nil {
			return damage
		}
		defer f.Close()
		files = append(files, inspect.File{File: f, Damage: damage})
	}
	return inspect.Run(ctx, files, quantize.Forecast)
}

// openAnyway opens what can be read of a file; of a damaged one, the error comes beside it. Of a file on a server that is
// all or nothing.
func openAnyway(ctx context.Context, path string) (*gguf.File, error) {
	if remote.Is(path) {
		return remote.Open(ctx, path)
	}
	return gguf.Salvage(path)
}
