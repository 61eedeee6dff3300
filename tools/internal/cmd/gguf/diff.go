package gguf

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/gguf/remote"
	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/table"
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
	found := &differences{A: paths[0], B: paths[1], Keys: diffKeys(d.a.Metadata, d.b.Metadata), Values: d.values}
	if found.Tensors, err = d.tensors(ctx); err != nil {
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
			n, union(modelKeys(d.a), modelKeys(d.b)), m, union(tensorNames(d.a), tensorNames(d.b)))
	}
	if !d.values {
		fmt.Fprintln(d.err, "the headers are the same (--values compares the weights too)")
	}
	return nil
}

func tensorNames(f *gguf.File) (names []string) {
	for i := range f.Tensors {
		names = append(names, f.Tensors[i].Name)
	}
	return names
}

// modelKeys leaves out those of a set of shards: how a model is split does not count.
func modelKeys(f *gguf.File) []string {
	return matching(f.Metadata, func(key string) bool { return !isSplit(key) })
}

func isSplit(key string) bool { return strings.HasPrefix(key, "split.") }

func union(a, b []string) int {
	seen := map[string]bool{}
	for _, s := range append(a, b...) {
		seen[s] = true
	}
	return len(seen)
}

// tensors finds the tensors that differ, in the order of A, then those that B alone has.
func (d *diff) tensors(ctx context.Context) ([]tensorDiff, error) {
	all := make([]tensorDiff, 0, len(d.a.Tensors))
	pairs := make([][2]*gguf.Tensor, 0, len(d.a.Tensors))
	for i := range d.a.Tensors {
		t := &d.a.Tensors[i]
		u, _ := d.b.Tensor(t.Name)
		all, pairs = append(all, tensorDiff{Name: t.Name, A: kindOf(t), B: kindOf(u)}), append(pairs, [2]*gguf.Tensor{t, u})
	}
	if d.values {
		if err := d.compareValues(ctx, all, pairs); err != nil {
			return nil, err
		}
	}
	for i := range d.b.Tensors {
		t := &d.b.Tensors[i]
		if _, ok := d.a.Tensor(t.Name); !ok {
			all = append(all, tensorDiff{Name: t.Name, B: kindOf(t)})
		}
	}
	return slices.DeleteFunc(all, func(t tensorDiff) bool { return t.same() }), nil
}

func kindOf(t *gguf.Tensor) *tensorKind {
	if t == nil {
		return nil
	}
	return &tensorKind{t.Type.String(), t.Shape}
}

func (t *tensorDiff) same() bool {
	return t.A != nil && t.B != nil && t.A.Type == t.B.Type && slices.Equal(t.A.Shape, t.B.Shape) && (t.valueDiff == nil || t.Equal)
}

func (k *tensorKind) text() string {
	if k == nil {
		return "-"
	}
	return k.Type + " " + table.Shape(k.Shape)
}
