// Package bench is the command that measures how fast models are computed.
//
//	llama-bench -m model.gguf
//	llama-bench -m a.gguf,b.gguf -p 512 -n 128 -d 0,4096 -t 1-8*2 -o json > old.json
//	llama-bench -m model.gguf --vs 'llama-bench'
//	llama-bench -m model.gguf --batched -npl 1,2,4,8
//	llama-bench compare old.json new.json --fail-slower 5%
//
// Flags, columns and formats are those of llama.cpp v0.7.0's llama-bench. What is printed is valid in its format also when models
// fail or the process is interrupted.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/bench"
	"github.com/llamakit/llamakit/tools/internal/run"
)

// options are what the command line says.
type options struct {
	grid    bench.Grid
	streams streams

	repetitions, delay       int
	noWarmup, limits, energy bool
	peer                     bench.Peer
	batched                  bool
	format, formatErr        string
	progress, listDevices    bool

	stdout, stderr io.Writer
}

// Command returns the command under the given name.
func Command(name string) *cli.Command {
	o := &options{repetitions: 5, format: "md"}
	return &cli.Command{
		Name:      name,
		Usage:     "measure how fast models are computed",
		UsageText: "llama-bench -m FILE [FLAGS], or llama-bench compare OLD.json NEW.json...",
		Flags:     o.flags(),
		Commands:  []*cli.Command{compareCommand()},
		Action: func(ctx context.Context, c *cli.Command) error {
			o.stdout, o.stderr = c.Root().Writer, c.Root().ErrWriter
			switch {
			case o.listDevices:
				_, err := fmt.Fprintln(o.stdout, "Available devices:\n  (none)")
				return err
			case len(o.grid.Models) == 0:
				return run.Usagef("no model; give one with -m FILE")
			case o.peer.Model != "" && o.peer.Command == "":
				return run.Usagef("--vs-model goes with --vs COMMAND")
			case o.peer.Model != "" && len(o.grid.Models) > 1:
				return run.Usagef("--vs-model names one model, and -m %d", len(o.grid.Models))
			case o.batched:
				return o.runBatched(ctx)
			case o.streams.given():
				return run.Usagef("-npp, -ntg, -npl and -pps go with --batched")
			}
			return o.run(ctx)
		},
	}
}

func or[T any](list *[]T, standard ...T) {
	if len(*list) == 0 {
		*list = standard
	}
}

// defaults are those of llama.cpp.
func (o *options) defaults() {
	g := &o.grid
	or(&g.Prompts, 512)
	or(&g.Gens, 128)
	or(&g.Depths, 0)
	or(&g.Batches, 2048)
	or(&g.UBatches, 512)
	or(&g.Threads, 0)
	or(&g.CacheK, "f16")
	or(&g.CacheV, "f16")
	or(&g.FlashAttn, -1)
}

// run measures and prints. Output begins before the first test and is closed whatever happens.
func (o *options) run(ctx context.Context) error {
	o.defaults()
	rows := o.grid.Rows()
	d := newDisplay(o.stderr, o.progress)
	settings := bench.Options{Repetitions: o.repetitions, NoWarmup: o.noWarmup, Delay: time.Duration(o.delay) * time.Second, Energy: o.energy, Watch: d.watch}
	if o.peer.Command != "" {
		settings.Peer = &o.peer
	}
	if o.limits {
		settings.Limits = bench.NewLimits()
	}
	out := o.writers(rows)
	plot := newPlot(o.stdout, o.format)
	err := each(out, bench.Writer.Begin)
	if err == nil {
		err = bench.Run(ctx, rows, settings, func(r *bench.Result) error {
			d.clear()
			o.warnShort(ctx, r)
			plot.add(r)
			return each(out, func(w bench.Writer) error { return w.Write(r) })
		})
	}
	d.clear()
	err = errors.Join(err, each(out, bench.Writer.Close))
	if len(rows) == 0 && err == nil {
		return run.Usagef("nothing to run: give a test with -p, -n or -pg")
	}
	return told(o.stderr, errors.Join(err, plot.print()))
}

// warnShort tells of a row that an interruption cut short.
func (o *options) warnShort(ctx context.Context, r *bench.Result) {
	if ctx.Err() != nil && len(r.Samples) < o.repetitions {
		fmt.Fprintf(o.stderr, "note: %s has %d of %d repetitions\n", r.Test(), len(r.Samples), o.repetitions)
	}
}

// writers are those of standard output and standard error.
func (o *options) writers(rows []bench.Params) []bench.Writer {
	var extra []string
	if o.limits {
		extra = append(extra, bench.LimitColumns...)
	}
	if o.energy {
		extra = append(extra, bench.EnergyColumns...)
	}
	if o.peer.Command != "" {
		extra = append(extra, bench.PeerColumns...)
	}
	list := []bench.Writer{bench.NewWriter(o.format, o.stdout, rows, extra)}
	if o.formatErr != "" {
		list = append(list, bench.NewWriter(o.formatErr, o.stderr, rows, extra))
	}
	return list
}

// each goes on with the others when one fails, so that these stay whole.
func each(list []bench.Writer, do func(bench.Writer) error) (err error) {
	for _, w := range list {
		err = errors.Join(err, do(w))
	}
	return err
}

func itoa(n int) string { return strconv.Itoa(n) }
