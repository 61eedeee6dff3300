// Package fit is the command that says what a model takes in memory, whether that fits, and what context would.
//
//	llama fit model.gguf -c 32768 -np 4
//	llama fit hf://owner/repo/model.gguf
//
// It reads the header of the file alone. The numbers are those that the loader goes by.
package fit

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/gguf/remote"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/outfile"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

// options are what the command line says.
type options struct {
	flags.Model
	margin  int  // MiB
	offload *int // layers on a GPU; nil: not asked for
	json    bool

	stdout io.Writer
}

// Command returns the command under the given name.
func Command(name string) *cli.Command {
	o := &options{margin: 1024}
	return &cli.Command{
		Name:      name,
		Usage:     "say whether a model fits into memory, and the largest context that does",
		ArgsUsage: "FILE",
		Description: "FILE is a file, any member of a set of shards, or an address as llama-gguf takes them; only the header is read.\n" +
			"Exit code 0: it fits; 1: it does not.",
		Flags: o.flags(),
		Action: func(ctx context.Context, c *cli.Command) error {
			o.stdout = c.Root().Writer
			switch {
			case c.Args().Len() == 1 && o.Path == "":
				o.Path = c.Args().First()
			case c.Args().Present() || o.Path == "":
				return run.Usagef("give one GGUF file")
			}
			return o.run(ctx)
		},
	}
}

// flags are those of loading. Of llama.cpp's flags for fitting and devices, which other commands accept and ignore, -fitt and
// -ngl have a meaning here.
func (o *options) flags() []cli.Flag {
	loading := slices.DeleteFunc(o.ModelFlags(), func(f cli.Flag) bool { return slices.Contains(f.Names(), "fitt") || slices.Contains(f.Names(), "ngl") })
	return append(loading, flags.Group("Memory",
		flags.New("-np, --parallel N", "sequences that run at the same time (default: 4)", flags.Int(&o.Options.Sequences, 1, 1024)).Env("LLAMA_ARG_N_PARALLEL"),
		flags.New("-fitt, --fit-target MiB", "memory to leave free (default: 1024)", flags.Int(&o.margin, 0, 1<<30)).Env("LLAMA_ARG_FIT_TARGET"),
		flags.New("--free SIZE", "plan for this much free memory, such as 8GiB (default: what is free now)", flags.Size(&o.Options.Free)),
		flags.New("-ngl, --gpu-layers, --n-gpu-layers N", "also say what the last N layers would take on a GPU; or all", flags.Func(o.setOffload)),
		flags.New("--json", "print as JSON", flags.Switch(&o.json)),
	)...)
}

// setOffload reads a number of layers, or llama.cpp's words for all of them.
func (o *options) setOffload(text string) error {
	n, err := strconv.Atoi(text)
	if text == "all" || text == "auto" {
		n, err = -1, nil
	}
	if err != nil || n < -1 {
		return fmt.Errorf("%q is no number of layers, nor all", text)
	}
	o.offload = &n
	return nil
}

func (o *options) run(ctx context.Context) error {
	f, err := remote.OpenAny(ctx, o.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	plan, err := engine.NewPlan(f, o.Engine())
	if err != nil {
		return err
	}
	if plan.Free == 0 {
		return fmt.Errorf("how much memory is free is not known on this system; say it with --free")
	}
	r := report{Path: o.Path, plan: plan, Margin: int64(o.margin) << 20}
	if err := r.fill(o.Engine()); err != nil {
		return err
	}
	if o.offload != nil {
		share := probe.PlanOffload(f, plan, *o.offload)
		r.Offload = &share
	}
	if err := r.print(o.stdout, o.json); err != nil {
		return err
	}
	return r.verdict()
}

// verdict is the error of a model that does not fit.
func (r *report) verdict() error {
	if r.Fits {
		return nil
	}
	free := outfile.Size(r.Free) + " are free"
	if r.Margin > 0 {
		free += ", of which " + outfile.Size(r.Margin) + " are left alone"
	}
	if r.Largest == 0 {
		return fmt.Errorf("%s: does not fit with any context: it takes %s without keys and values; %s", r.Path, outfile.Size(r.Total-r.plan.Memory.Cache), free)
	}
	return fmt.Errorf("%s: does not fit: it takes %s; %s (-c %d fits)", r.Path, outfile.Size(r.Total), free, r.Largest)
}
