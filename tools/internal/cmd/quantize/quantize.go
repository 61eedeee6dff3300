// Package quantize is the command that makes a smaller model of a GGUF file, by rounding its weights, and tells before
// what would become of each tensor.
//
//	llama-quantize model-f16.gguf model-q4.gguf Q4_K_M
//	llama-quantize --imatrix calib.gguf model-f16.gguf model-iq3.gguf IQ3_M 8
//	llama-quantize --dry-run --error model-f16.gguf Q4_K_M
//
// Types, mixtures and flags are those of llama.cpp v0.7.0.
package quantize

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/gguf/remote"
	"github.com/llamakit/llamakit/formats/mixture"
	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/outfile"
	"github.com/llamakit/llamakit/tools/internal/progress"
)

// options are what the command line says.
type options struct {
	settings
	include, exclude []string
	bufferMiB        int

	dryRun, measure, full bool
	json, csv, md         bool
	context               int

	targetSize int64
	targetBPW  float32

	input, target string
	threads       int

	stdout, stderr io.Writer
}

// Command returns the command under a name.
func Command(name string) *cli.Command {
	o := &options{bufferMiB: 8192}
	return &cli.Command{
		Name:        name,
		Usage:       "make a smaller model by rounding its weights",
		ArgsUsage:   "MODEL.gguf [OUTPUT.gguf] TYPE [THREADS]",
		Description: typeList(),
		Flags:       o.flags(),
		Action: func(ctx context.Context, c *cli.Command) error {
			o.stdout, o.stderr = c.Root().Writer, c.Root().ErrWriter
			if err := o.operands(c.Args().Slice()); err != nil {
				return err
			}
			return o.run(ctx)
		},
	}
}

func (o *options) flags() []cli.Flag {
	all := flags.Group("Types",
		flags.New("--pure", "the same type for all matrices instead of a mixture", flags.Switch(&o.pure)),
		flags.New("--leave-output-tensor", "leave output.weight as it is", flags.Switch(&o.leaveOut)),
		flags.New("--output-tensor-type TYPE", "tensor type of output.weight", typeFlag(&o.output)),
		flags.New("--token-embedding-type TYPE", "tensor type of the token embeddings", typeFlag(&o.embed)),
		flags.New("--tensor-type NAME=TYPE", "tensor type of tensors whose name matches the pattern; may be given several times",
			flags.Func(func(text string) error { return appendParsed(&o.rules, text, parseRule) })),
		flags.New("--tensor-type-file FILE", "file of NAME=TYPE, separated by white space", flags.Func(o.addRules)),
		flags.New("--target-size SIZE", "choose types for the least error in a file of this size (4GiB, 700M); TYPE may be left out",
			flags.Size(&o.targetSize)),
		flags.New("--target-bpw N", "the same for this many bits per weight", flags.Float(&o.targetBPW, 0.5, 32)),
		flags.New("--allow-requantize", "convert tensors that are quantized already", flags.Switch(&o.requant)),
		flags.New("--strict", "refuse where a shape does not allow the wanted type", flags.Switch(&o.strict)),
	)
	all = append(all, flags.Group("Importance",
		flags.New("--imatrix FILE", "importance matrix (GGUF or .dat)", flags.Text(&o.matrix)),
		flags.New("--include-weights NAME", "use the matrix only for tensors with this in their name", flags.Append(&o.include)),
		flags.New("--exclude-weights NAME", "do not use the matrix for tensors with this in their name", flags.Append(&o.exclude)),
	)...)
	all = append(all, flags.Group("File",
		flags.New("--prune-layers L0,L1,...", "layers to leave out; may be given several times", flags.Func(o.addPrune)),
		flags.New("--override-kv KEY=TYPE:VALUE", "set a key of the metadata; may be given several times",
			flags.Func(func(text string) error { return appendParsed(&o.override, text, parseOverride) })),
		flags.New("--keep-split", "as many shards as the input has", flags.Switch(&o.split)),
		flags.New("--max-buffer-size MiB", "most memory for rows on their way (default: 8192; far less is used)", flags.Int(&o.bufferMiB, 1, math.MaxInt32)),
	)...)
	return append(all, flags.Group("Information",
		flags.New("--dry-run", "show what would become of each tensor, and write nothing", flags.Switch(&o.dryRun)),
		flags.New("--error", "with --dry-run: measure the error of each tensor, worst first, on a sample of rows", flags.Switch(&o.measure)),
		flags.New("--error-full", "like --error, on all rows", flags.Switch(&o.full)),
		flags.New("-c, --ctx-size N", "with --dry-run: also show the memory with a context of N tokens", flags.Int(&o.context, 0, math.MaxInt32)),
		flags.New("--json", "with --dry-run: as JSON", flags.Switch(&o.json)),
		flags.New("--csv", "with --dry-run: as CSV", flags.Switch(&o.csv)),
		flags.New("--md", "with --dry-run: as Markdown", flags.Switch(&o.md)),
	)...)
}

func (o *options) addRules(path string) error {
	rules, err := readRules(path)
	o.rules = append(o.rules, rules...)
	return err
}

func (o *options) addPrune(text string) error {
	layers, err := parseLayers(text)
	o.prune = append(o.prune, layers...)
	slices.Sort(o.prune)
	return err
}

func appendParsed[T any](list *[]T, text string, parse func(string) (T, error)) error {
	v, err := parse(text)
	if err == nil {
		*list = append(*list, v)
	}
	return err
}

// typeList is the part of the help that lists the types.
func typeList() string {
	var b strings.Builder
	b.WriteString("Types, by name or number:\n")
	for _, t := range mixture.FileTypes {
		number := strconv.Itoa(t.Number)
		if t.Name == mixture.Copy {
			number = ""
		}
		fmt.Fprintf(&b, "%4s  %-10s %s\n", number, t.Name, t.About)
	}
	return strings.TrimRight(b.String(), "\n")
}

func (o *options) run(ctx context.Context) error {
	open := func(_ context.Context, path string) (*gguf.File, error) { return gguf.Open(path) }
	if o.dryRun && !o.measure && !o.full && !o.aimed() {
		open = remote.OpenAny // the header is enough
	}
	model, err := open(ctx, o.input)
	if err != nil {
		return err
	}
	defer model.Close()
	matrix, err := openMatrix(o.matrix, o.include, o.exclude)
	if err != nil {
		return err
	}
	p, err := makePlan(model, matrix, &o.settings)
	if err != nil {
		return fmt.Errorf("%s: %w", o.input, err)
	}
	if o.aimed() {
		if err := o.fitTarget(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", o.input, err)
		}
	}
	if err := o.checkStrict(p); err != nil {
		return err
	}
	if o.onlyTells() {
		return o.describe(ctx, p)
	}
	return o.write(ctx, p)
}

func (o *options) checkStrict(p *plan) error {
	for i := range p.tensors {
		if t := &p.tensors[i]; o.strict && t.to != t.wanted {
			return fmt.Errorf("%s: tensor %q: %s; it would become %s (--strict)", o.input, t.name, t.why, t.to)
		}
	}
	return nil
}

// describe prints the plan.
func (o *options) describe(ctx context.Context, p *plan) error {
	r := newReport(p, o.input)
	if o.context > 0 {
		r.setMemory(p, o.context)
	}
	if o.measure || o.full {
		bar := progress.Bytes(o.stderr, r.Before, "measuring")
		err := r.measure(ctx, p, o.threads, o.full, func(n int) { _ = bar.Add(n) })
		_ = bar.Clear()
		if err != nil {
			return fmt.Errorf("%s: %w", o.input, err)
		}
	}
	o.tell(p)
	switch {
	case o.json:
		return asjson.Write(o.stdout, r)
	case o.csv:
		return r.writeCSV(o.stdout)
	}
	return r.writeText(o.stdout, o.md)
}

func (o *options) tell(p *plan) {
	for _, note := range p.notes {
		fmt.Fprintln(o.stderr, "note:", gguf.Printable(note))
	}
}

// write makes the file and says what it cost.
func (o *options) write(ctx context.Context, p *plan) error {
	if err := p.checkImportance(); err != nil {
		return fmt.Errorf("%s: %w", o.input, err)
	}
	paths := outfile.Paths(o.target, len(p.shards()))
	if err := outfile.Check(p.model, paths...); err != nil {
		return err
	}
	o.tell(p)
	before, after, elements := p.totals()
	bar := progress.Bytes(o.stderr, before, "quantizing to "+o.file.Name)
	begin := time.Now()
	j := &job{plan: p, threads: o.threads, elements: o.pieceElements(), progress: func(n int) { _ = bar.Add(n) }}
	err := j.write(ctx, o.target)
	_ = bar.Clear()
	if err != nil {
		return outfile.ExplainFull(err, after)
	}
	took := time.Since(begin).Seconds()
	fmt.Fprintf(o.stderr, "%.2f MiB (%.2f BPW) -> %.2f MiB (%.2f BPW) in %.1f s, %.0f MiB/s\n",
		mib(before), bits(before, elements), mib(after), bits(after, elements), took, mib(before)/max(took, 1e-9))
	_, err = fmt.Fprintln(o.stdout, paths[0])
	return err
}

// pieceElements keeps all pieces on their way within --max-buffer-size: each has at most four bytes an element of
// float32 and four of output.
func (o *options) pieceElements() int {
	pieces := 3*o.threads + 2
	return max(1, min(pieceElements, o.bufferMiB<<20/8/pieces))
}
