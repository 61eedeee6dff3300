package gguf

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/gguf/remote"
	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/table"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

// diff compares two files.
type diff struct {
	streams
	values, json bool

	a, b *gguf.File
}

// differences are what JSON has; the fields of text are those too.
type differences struct {
	A       string       `json:"a"`
	B       string       `json:"b"`
	Keys    []keyDiff    `json:"keys"`
	Tensors []tensorDiff `json:"tensors"`
	Values  bool         `json:"values_compared"`

	allKeys, allTensors int // of both files
}

// keyDiff is a key that differs; what a file lacks is null.
type keyDiff struct {
	Key string   `json:"key"`
	A   *jsonKey `json:"a"`
	B   *jsonKey `json:"b"`

	textA, textB string
}

// tensorDiff is a tensor that differs; what a file lacks is null.
type tensorDiff struct {
	Name string      `json:"tensor"`
	A    *tensorKind `json:"a"`
	B    *tensorKind `json:"b"`
	*valueDiff
}

type tensorKind struct {
	Type  string `json:"type"`
	Shape []int  `json:"shape"`
}

func diffCommand() *cli.Command {
	d := &diff{}
	return &cli.Command{
		Name: "diff", Usage: "compare two files; exit code 1 when they differ", ArgsUsage: "A B",
		Flags: flags.Group("Comparison",
			flags.New("--values", "compare the weights too: largest difference, and root mean square relative to that of A", flags.Switch(&d.values)),
			flags.New("--json", "as JSON", flags.Switch(&d.json)),
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			paths, err := operands(c, 2)
			if err != nil {
				return err
			}
			d.streams = streamsOf(c)
			return d.run(ctx, paths)
		},
	}
}

func (d *diff) run(ctx context.Context, paths []string) (err error) {
	for i, f := range []**gguf.File{&d.a, &d.b} {
		if d.values {
			*f, err = openLocal(paths[i], "--values reads all of the weights")
		} else {
			*f, err = remote.OpenAny(ctx, paths[i])
		}
		if err != nil {
			return err
		}
		defer (*f).Close()
	}
	found := &differences{A: paths[0], B: paths[1], Values: d.values}
	found.Keys, found.allKeys = diffKeys(d.a.Metadata, d.b.Metadata)
	if found.Tensors, found.allTensors, err = d.tensors(ctx); err != nil {
		return err
	}
	if d.json {
		err = asjson.Write(d.out, found)
	} else {
		err = d.print(found)
	}
	if err != nil {
		return err
	}
	return found.verdict(d)
}

// verdict is an error where the files differ.
func (x *differences) verdict(d *diff) error {
	if n, m := len(x.Keys), len(x.Tensors); n+m > 0 {
		return fmt.Errorf("%s and %s differ in %d of %d keys and %d of %d tensors", gguf.Printable(x.A), gguf.Printable(x.B),
			n, x.allKeys, m, x.allTensors)
	}
	if !d.values {
		fmt.Fprintln(d.err, "the headers are the same (--values compares the weights too)")
	}
	return nil
}

// tensors finds the tensors that differ, in the order of A, then those that B alone has; all is how many there are.
func (d *diff) tensors(ctx context.Context) (found []tensorDiff, all int, err error) {
	pairs := probe.Tensors(d.a, d.b)
	values := make([]*valueDiff, len(pairs))
	if d.values {
		err = d.compareValues(ctx, pairs, values)
	}
	found = []tensorDiff{}
	for i, t := range pairs {
		if t.Change != probe.Same || values[i] != nil && !values[i].Equal {
			found = append(found, tensorDiff{t.Name, kindOf(t.A), kindOf(t.B), values[i]})
		}
	}
	return found, len(pairs), err
}

func kindOf(t *gguf.Tensor) *tensorKind {
	if t == nil {
		return nil
	}
	return &tensorKind{t.Type.String(), t.Shape}
}

func (k *tensorKind) text() string {
	if k == nil {
		return "-"
	}
	return k.Type + " " + table.Shape(k.Shape)
}
