// Package split is the command that cuts a GGUF file into shards, and puts shards together again.
//
//	llama-gguf-split --split-max-size 4G model.gguf model
//	llama-gguf-split --merge model-00001-of-00003.gguf model.gguf
//
// Names, keys and the tensors of each shard are those of llama.cpp v0.7.0, byte for byte.
package split

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/outfile"
	"github.com/llamakit/llamakit/tools/internal/progress"
	"github.com/llamakit/llamakit/tools/internal/run"
)

// options are what the command line says.
type options struct {
	Limits
	split, merge, dryRun, deleteSplits bool

	stdout, stderr io.Writer
}

// Command returns the command under the given name.
func Command(name string) *cli.Command {
	o := &options{}
	return &cli.Command{
		Name:      name,
		Usage:     "cut a GGUF file into shards, or merge shards",
		ArgsUsage: "IN.gguf OUT",
		Description: "Splitting makes OUT-00001-of-0000N.gguf and so on. Merging takes any one shard; the others are\n" +
			"found by their names. OUT is the merged file then.",
		Flags: flags.Group("Split and merge",
			flags.New("--split", "cut into shards (the default)", flags.Switch(&o.split)),
			flags.New("--split-max-tensors N", "tensors in a shard at most (default: 128)", flags.Int(&o.MaxTensors, 1, math.MaxInt32)),
			flags.New("--split-max-size N(K|M|G)", "bytes of tensors in a shard at most, in 1000, 1000² or 1000³", flags.DecimalSize(&o.MaxBytes)),
			flags.New("--no-tensor-first-split", "the first shard has the metadata only", flags.Switch(&o.BareFirst)),
			flags.New("--merge", "put shards together", flags.Switch(&o.merge)),
			flags.New("--delete-splits", "with --merge: remove the shards once the merged file is complete", flags.Switch(&o.deleteSplits)),
			flags.New("--dry-run", "say what would be written, and write nothing", flags.Switch(&o.dryRun)),
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			o.stdout, o.stderr = c.Root().Writer, c.Root().ErrWriter
			if err := o.check(c.Args().Slice()); err != nil {
				return err
			}
			return o.run(ctx, c.Args().Get(0), c.Args().Get(1))
		},
	}
}

// check refuses what cannot be meant.
func (o *options) check(operands []string) error {
	switch {
	case o.split && o.merge:
		return run.Usagef("--split and --merge cannot be used together")
	case o.merge && len(operands) > 2:
		return run.Usagef("--merge takes one shard and the output, not %d files (the other shards are found by their names)", len(operands))
	case len(operands) != 2:
		return run.Usagef("give an input and an output, not %d operands", len(operands))
	}
	return o.Check()
}

func (o *options) run(ctx context.Context, in, out string) error {
	model, err := gguf.Open(in)
	if err != nil {
		return err
	}
	defer model.Close()
	if o.merge {
		return o.mergeTo(ctx, model, in, out)
	}
	return o.splitTo(ctx, model, in, out)
}

func (o *options) splitTo(ctx context.Context, model *gguf.File, in, prefix string) error {
	shards, err := o.cut(model, prefix)
	if err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	o.tellOversize(shards)
	if o.dryRun {
		return describe(o.stdout, shards)
	}
	if err := o.write(ctx, model, shards, "splitting"); err != nil {
		return err
	}
	for _, s := range shards {
		if _, err := fmt.Fprintln(o.stdout, s.path); err != nil {
			return err
		}
	}
	return nil
}

// mergeTo makes one file of all shards. An output that exists stays as it is: with `--merge model-*` it would be a shard.
func (o *options) mergeTo(ctx context.Context, model *gguf.File, in, out string) error {
	if count := model.Metadata.Reader("split").IntOr("count", 0); count == 0 {
		return fmt.Errorf("%s: is no shard (its key split.count is missing or 0); there is nothing to merge", in)
	}
	if err := outfile.Check(model, out); err != nil {
		return err
	}
	if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: exists already; remove it, or give the output another name", out)
	}
	whole, err := merged(model, out)
	if err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	if o.dryRun {
		_, err := fmt.Fprintf(o.stdout, "%s: %d tensors of %d shards, %d bytes; nothing was written\n", gguf.Printable(out), len(whole.tensors), len(model.Paths()), whole.bytes)
		return err
	}
	if err := o.write(ctx, model, []shard{whole}, "merging"); err != nil {
		return err
	}
	if err := o.removeShards(model); err != nil {
		return err
	}
	_, err = fmt.Fprintln(o.stdout, out)
	return err
}

// removeShards is --delete-splits.
func (o *options) removeShards(model *gguf.File) error {
	if !o.deleteSplits {
		return nil
	}
	if err := model.Close(); err != nil { // some systems keep what is mapped
		return err
	}
	for _, path := range model.Paths() {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// write makes the files and says what it took.
func (o *options) write(ctx context.Context, model *gguf.File, shards []shard, what string) error {
	paths, tensors, bytes := make([]string, len(shards)), 0, int64(0)
	for i, s := range shards {
		paths[i], tensors, bytes = s.path, tensors+len(s.tensors), bytes+s.bytes
	}
	if err := outfile.Check(model, paths...); err != nil {
		return err
	}
	begin, bar := time.Now(), progress.Bytes(o.stderr, dataBytes(shards), what)
	err := write(ctx, model, shards, func(n int) { _ = bar.Add(n) })
	_ = bar.Clear()
	if err != nil {
		return outfile.ExplainFull(err, bytes)
	}
	took := time.Since(begin).Seconds()
	_, err = fmt.Fprintf(o.stderr, "%d tensors, %s files: %d, %.1f s, %s/s\n", tensors, outfile.Size(bytes),
		len(shards), took, outfile.Size(int64(float64(bytes)/max(took, 1e-9))))
	return err
}

// tellOversize names shards that are larger than the limit, and why.
func (o *options) tellOversize(shards []shard) {
	for i, s := range shards {
		switch {
		case o.MaxBytes == 0 || s.bytes <= o.MaxBytes:
		case len(s.tensors) == 1 && s.tensors[0].Size > o.MaxBytes:
			fmt.Fprintf(o.stderr, "note: shard %d: tensor %s alone has %d bytes, more than --split-max-size\n", i+1, gguf.Printable(s.tensors[0].Name), s.tensors[0].Size)
		default:
			fmt.Fprintf(o.stderr, "note: shard %d: %d bytes with its header, which --split-max-size does not count, as in llama.cpp\n", i+1, s.bytes)
		}
	}
}

// describe prints the plan, in llama.cpp's words and then exactly.
func describe(w io.Writer, shards []shard) error {
	if _, err := fmt.Fprintf(w, "n_split: %d\n", len(shards)); err != nil {
		return err
	}
	for i, s := range shards {
		if _, err := fmt.Fprintf(w, "split %05d: n_tensors = %d, total_size = %dM (%d bytes, %s)\n", i+1, len(s.tensors), s.bytes/1e6, s.bytes, gguf.Printable(s.path)); err != nil {
			return err
		}
	}
	return nil
}
