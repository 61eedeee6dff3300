package gguf

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/gguf/remote"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tools/internal/table"
	"github.com/llamakit/llamakit/tools/internal/terminal"
	"github.com/llamakit/llamakit/tui/inspect/probe"
	"github.com/llamakit/llamakit/tui/printable"
)

// show is the command without a subcommand.
type show struct {
	pattern                 string
	tensors, template, json bool
	plain, salvage          bool
	out                     io.Writer
}

const (
	pipedWidth = 120 // columns of a table that goes into a pipe
	leastValue = 12  // columns of a value, also where the terminal has no room for them
)

func (o *show) run(ctx context.Context, path string) error {
	keep, err := matcher(o.pattern)
	if err != nil {
		return err
	}
	open := remote.OpenAny
	if o.salvage {
		open = openAnyway
	}
	f, damage := open(ctx, path)
	if f == nil {
		return damage
	}
	defer f.Close()
	if err := o.print(f, keep); err != nil {
		return err
	}
	return damage
}

func (o *show) print(f *gguf.File, keep func(string) bool) error {
	if o.template {
		return o.printTemplate(f)
	}
	keys := matching(f.Metadata, keep)
	if len(keys) == 0 && o.pattern != "" {
		return fmt.Errorf("%s: no key matches %q", gguf.Printable(f.Paths()[0]), o.pattern)
	}
	switch {
	case o.json:
		return o.printJSON(f, keys)
	case o.pattern != "":
		return printKeys(o.out, f.Metadata, keys, 0)
	case o.tensors:
		return printTensors(o.out, f)
	}
	return o.printAll(f, keys)
}

func (o *show) printAll(f *gguf.File, keys []string) error {
	width := terminal.Width(o.out)
	if width == 0 {
		width = pipedWidth
	}
	if len(keys) > 0 {
		if err := printKeys(o.out, f.Metadata, keys, width); err != nil {
			return err
		}
		fmt.Fprintln(o.out)
	}
	s := probe.Summarize(f)
	if len(f.Tensors) > 0 {
		if err := printTensors(o.out, f); err != nil {
			return err
		}
		fmt.Fprintln(o.out)
		if err := printTypes(o.out, s); err != nil {
			return err
		}
		fmt.Fprintln(o.out)
	}
	return printSummary(o.out, s)
}

// printTemplate writes the template's bytes; on a terminal, what it could obey is shown instead.
func (o *show) printTemplate(f *gguf.File) error {
	v, ok := f.Metadata.Get(templateKey)
	text, isText := v.Str()
	if !ok || !isText {
		return fmt.Errorf("%s: no chat template (key %s)", gguf.Printable(f.Paths()[0]), templateKey)
	}
	if terminal.Width(o.out) > 0 {
		text = strings.TrimSuffix(printable.Text(text), "\n") + "\n"
	}
	_, err := io.WriteString(o.out, text)
	return err
}

// matcher returns the test for keys that a pattern stands for.
func matcher(pattern string) (func(key string) bool, error) {
	pattern = strings.ToLower(pattern)
	if !strings.ContainsAny(pattern, "*?[") {
		return func(key string) bool { return strings.Contains(strings.ToLower(key), pattern) }, nil
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, run.Usagef("--kv: %q: %v", pattern, err)
	}
	return func(key string) bool {
		ok, _ := path.Match(pattern, strings.ToLower(key))
		return ok
	}, nil
}

func matching(md *gguf.Metadata, keep func(string) bool) (keys []string) {
	for key := range md.All() {
		if keep(key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// printKeys prints keys as a table of at most width columns; 0 prints values in full.
func printKeys(w io.Writer, md *gguf.Metadata, keys []string, width int) error {
	columns := []table.Column{table.Left("key"), table.Left("type"), table.Left("value")}
	rows, used := make([][]string, len(keys)), [2]int{}
	for i, key := range keys {
		v, _ := md.Get(key)
		rows[i] = []string{gguf.Printable(key), probe.TypeText(v), ""}
		used[0], used[1] = max(used[0], len(rows[i][0])), max(used[1], len(rows[i][1]))
	}
	room := 0
	if width > 0 {
		room = max(leastValue, width-used[0]-used[1]-2*len(columns))
	}
	for i, key := range keys {
		v, _ := md.Get(key)
		rows[i][2] = probe.ValueText(v, room)
	}
	return table.Write(w, false, columns, rows)
}

func printTensors(w io.Writer, f *gguf.File) error {
	columns := []table.Column{table.Left("tensor"), table.Left("shape"), table.Left("type"), table.Right("bytes")}
	sharded := len(f.Paths()) > 1
	if sharded {
		columns = append(columns, table.Right("shard"))
	}
	rows := make([][]string, len(f.Tensors))
	for i := range f.Tensors {
		t := &f.Tensors[i]
		rows[i] = []string{gguf.Printable(t.Name), table.Shape(t.Shape), t.Type.String(), fmt.Sprint(t.Size)}
		if sharded {
			rows[i] = append(rows[i], fmt.Sprint(t.Shard+1))
		}
	}
	return table.Write(w, false, columns, rows)
}
