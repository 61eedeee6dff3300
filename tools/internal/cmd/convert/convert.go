// Package convert is the command that makes a GGUF file of a Hugging Face model folder.
package convert

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/hf"
	"github.com/llamakit/llamakit/tools/internal/cmd/split"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/outfile"
	"github.com/llamakit/llamakit/tools/internal/progress"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tools/internal/table"
)

// options are what the command line says.
type options struct {
	outType, outFile, metadata, name string
	vocabOnly, dryRun, verbose       bool
	noDrafts, mmproj, remote         bool
	limits                           split.Limits
	list, classes                    bool
	stdout, stderr                   io.Writer
}

// Command returns the command under the given name.
func Command(name string) *cli.Command {
	o := &options{outType: string(hf.OutAuto)}
	return &cli.Command{
		Name:      name,
		Usage:     "make a GGUF file of a Hugging Face model folder",
		ArgsUsage: "DIR",
		Flags: append(flags.Group("Conversion",
			flags.New("--outtype TYPE", "type of the matrices: f32, f16, bf16, q8_0, or auto for what the checkpoint has (default: auto)",
				flags.OneOf(&o.outType, "f32", "f16", "bf16", "q8_0", "auto")),
			flags.New("--outfile PATH", "file or folder to write; {ftype} in it becomes the type (default: llama.cpp's name, in DIR)", flags.Text(&o.outFile)),
			flags.New("--vocab-only", "write the tokenizer only; needs no weights", flags.Switch(&o.vocabOnly)),
			flags.New("--metadata FILE", "JSON file of general.* keys that win over the folder's", flags.Text(&o.metadata)),
			flags.New("--no-nextn, --no-mtp", "leave out the layers that predict further tokens", flags.Switch(&o.noDrafts)),
			flags.New("--remote", "DIR is a repository of Hugging Face, owner/name[@revision]: download it, convert it, and remove the download (HF_TOKEN, HF_ENDPOINT)",
				flags.Switch(&o.remote)),
			flags.New("--mmproj", "refused: parts of models that see or hear are not converted", flags.Switch(&o.mmproj)),
			flags.New("--model-name NAME", "general.name instead of the folder's", flags.Text(&o.name)),
		), append(flags.Group("Several files",
			flags.New("--split-max-tensors N", "tensors in a file at most", flags.Int(&o.limits.MaxTensors, 1, math.MaxInt32)),
			flags.New("--split-max-size N(K|M|G)", "bytes of tensors in a file at most, in 1000, 1000² or 1000³", flags.DecimalSize(&o.limits.MaxBytes)),
			flags.New("--no-tensor-first-split", "the first file has the metadata only", flags.Switch(&o.limits.BareFirst)),
		), flags.Group("Information",
			flags.New("--dry-run", "say what would be written, and write nothing", flags.Switch(&o.dryRun)),
			flags.New("-v, --verbose", "list the tensors too, on stderr", flags.Switch(&o.verbose)),
			flags.New("--list", "list the architectures that can be made, the model classes they are made of, and how that was checked", flags.Switch(&o.list)),
			flags.New("--print-supported-models", "list the model classes only", flags.Switch(&o.classes)),
		)...)...),
		Action: func(ctx context.Context, c *cli.Command) error {
			o.stdout, o.stderr = c.Root().Writer, c.Root().ErrWriter
			if o.list {
				return listArchitectures(o.stdout)
			}
			if o.classes {
				_, err := fmt.Fprintln(o.stdout, strings.Join(hf.Classes(), "\n"))
				return err
			}
			if err := o.check(c.Args().Len()); err != nil {
				return err
			}
			return o.convert(ctx, c.Args().First())
		},
	}
}

// check refuses what cannot be meant.
func (o *options) check(operands int) error {
	switch {
	case operands != 1:
		return run.Usagef("give one model folder, not %d arguments", operands)
	case o.mmproj:
		return run.Usagef("--mmproj: parts of models that see or hear are not converted; without the flag the text model is")
	case o.remote && o.dryRun:
		return run.Usagef("--dry-run needs the weights, which --remote would download first")
	}
	return o.limits.Check()
}

func (o *options) convert(ctx context.Context, dir string) error {
	override, err := o.override()
	if err != nil {
		return err
	}
	target := dir
	if o.remote {
		temp, err := os.MkdirTemp(o.folderOf(), ".llama-convert-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temp)
		if dir, err = o.fetch(ctx, dir, temp); err != nil {
			return err
		}
		target = "."
	}
	return o.convertFolder(ctx, dir, target, override)
}

// convertFolder converts a folder; the output goes to target unless the command line says otherwise.
func (o *options) convertFolder(ctx context.Context, dir, target string, override map[string]any) error {
	folder, err := hf.Open(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	c, err := folder.Convert(hf.Options{Type: hf.OutType(o.outType), VocabOnly: o.vocabOnly, NoDrafts: o.noDrafts, Name: o.name, Override: override})
	if err != nil {
		return err
	}
	path := o.path(target, c)
	if o.dryRun {
		return o.describe(path, c)
	}
	if o.verbose {
		if err := list(o.stderr, c); err != nil {
			return err
		}
	}
	return o.write(ctx, path, c)
}

// describe says what would be written.
func (o *options) describe(path string, c *hf.Conversion) error {
	o.notes(c.Notes)
	paths, counts, err := o.files(path, c)
	if err != nil {
		return err
	}
	if err := list(o.stdout, c); err != nil {
		return err
	}
	for i := range paths {
		if len(paths) > 1 {
			fmt.Fprintf(o.stdout, "%s: %d tensors\n", gguf.Printable(paths[i]), counts[i])
		}
	}
	_, err = fmt.Fprintf(o.stdout, "%s: %d tensors, %d bytes of weights; nothing was written\n", gguf.Printable(path), len(c.Tensors), c.Bytes())
	return err
}

// files are the paths of the output and their numbers of tensors.
func (o *options) files(path string, c *hf.Conversion) (paths []string, counts []int, err error) {
	if o.limits == (split.Limits{}) {
		return []string{path}, []int{len(c.Tensors)}, nil
	}
	sizes := make([]int64, len(c.Tensors))
	for i, x := range c.Tensors {
		sizes[i] = x.Bytes()
	}
	limits := o.limits
	if limits.MaxTensors == 0 && limits.MaxBytes == 0 {
		limits.MaxTensors = math.MaxInt32
	}
	counts, err = limits.Counts(sizes)
	return outfile.Paths(path, len(counts)), counts, err
}

// write writes the files, and their names to stdout.
func (o *options) write(ctx context.Context, path string, c *hf.Conversion) error {
	paths, counts, err := o.files(path, c)
	if err != nil {
		return err
	}
	bar := progress.Bytes(o.stderr, c.Bytes(), "converting")
	err = c.WriteSet(ctx, paths, counts, func(n int) { _ = bar.Add(n) })
	_ = bar.Clear()
	if err != nil {
		return outfile.ExplainFull(err, c.Bytes())
	}
	o.notes(c.Notes)
	_, err = fmt.Fprintln(o.stdout, strings.Join(paths, "\n"))
	return err
}

func (o *options) notes(notes []string) {
	for _, note := range notes {
		fmt.Fprintln(o.stderr, "note:", gguf.Printable(note))
	}
}

func (o *options) override() (map[string]any, error) {
	if o.metadata == "" {
		return nil, nil
	}
	data, err := os.ReadFile(o.metadata)
	if err != nil {
		return nil, err
	}
	m, err := hf.ReadOverride(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.metadata, err)
	}
	return m, nil
}

// folderOf is the folder that the output of --remote goes to.
func (o *options) folderOf() string {
	if info, err := os.Stat(o.outFile); err == nil && info.IsDir() {
		return o.outFile
	}
	return filepath.Dir(o.outFile)
}

// path is where the file goes: into the folder that was converted, into another folder, or under the given name.
func (o *options) path(dir string, c *hf.Conversion) string {
	if o.outFile == "" {
		return filepath.Join(dir, c.FileName)
	}
	if info, err := os.Stat(o.outFile); err == nil && info.IsDir() {
		return filepath.Join(o.outFile, c.FileName)
	}
	upper := c.FileType()
	lower := strings.ToLower(upper)
	fill := strings.NewReplacer("{}", lower, "{ftype}", lower, "{FTYPE}", upper, "{outtype}", lower, "{OUTTYPE}", upper)
	folder, name := filepath.Split(o.outFile)
	return folder + fill.Replace(name)
}

// list prints the tensors as a table.
func list(w io.Writer, c *hf.Conversion) error {
	rows := make([][]string, len(c.Tensors))
	for i, x := range c.Tensors {
		rows[i] = []string{gguf.Printable(x.Name), x.Type.String(), table.Shape(x.Shape), fmt.Sprint(x.Bytes())}
	}
	return table.Write(w, false, []table.Column{table.Left("tensor"), table.Left("type"), table.Left("shape"), table.Right("bytes")}, rows)
}
