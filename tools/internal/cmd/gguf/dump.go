package gguf

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/gguf/remote"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/outfile"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tools/internal/table"
	"github.com/llamakit/llamakit/tools/internal/terminal"
)

// dumper prints the values of a tensor. A row is ne[0] values; rows are numbered through all further dimensions.
type dumper struct {
	streams
	stats, scales  bool
	csv, json, npy bool
	output         string
	rows           *rowRange

	f *gguf.File
	t *gguf.Tensor
}

// rowRange is FROM:TO; to is not in it, and -1 for the end.
type rowRange struct{ from, to int }

const (
	headRows = 8       // shown of a tensor when no rows are asked for
	maxRow   = 1 << 27 // values of a row that memory is allocated for
)

func dumpCommand() *cli.Command {
	d := &dumper{}
	return &cli.Command{
		Name: "dump", Usage: "show the values of a tensor", ArgsUsage: "FILE TENSOR",
		Flags: append(flags.Group("Values",
			flags.New("--rows FROM:TO", "these rows, numbered from 0, without TO; N is one row (default: the first 8 on a terminal's table, else all)",
				flags.Func(func(text string) (err error) { d.rows, err = parseRows(text); return err })),
			flags.New("--stats", "how the values are distributed instead of the values", flags.Switch(&d.stats)),
			flags.New("--scales", "how large the scales of blocks are, and where, as a map of all rows", flags.Switch(&d.scales)),
		), flags.Group("Output",
			flags.New("--csv", "as CSV, a line a row", flags.Switch(&d.csv)),
			flags.New("--json", "as JSON", flags.Switch(&d.json)),
			flags.New("--npy", "as NumPy's .npy file of float32", flags.Switch(&d.npy)),
			flags.New("-o, --output FILE", "write to a file instead of standard output", flags.Text(&d.output)),
		)...),
		Action: func(ctx context.Context, c *cli.Command) error {
			args, err := operands(c, 2)
			if err != nil {
				return err
			}
			d.streams = streamsOf(c)
			return d.run(ctx, args[0], args[1])
		},
	}
}

// parseRows reads "3", "2:5", ":5" or "2:".
func parseRows(text string) (*rowRange, error) {
	first, last, isRange := strings.Cut(text, ":")
	r := &rowRange{0, -1}
	var err error
	if first != "" || !isRange {
		r.from, err = strconv.Atoi(first)
	}
	if last != "" && err == nil {
		r.to, err = strconv.Atoi(last)
		if r.to < 0 {
			err = strconv.ErrSyntax
		}
	}
	if !isRange {
		r.to = r.from + 1
	}
	if err != nil || r.from < 0 || r.to >= 0 && r.to <= r.from {
		return nil, fmt.Errorf("%q is no range of rows; 3, 2:5, :5 and 2: are", text)
	}
	return r, nil
}

func (d *dumper) run(ctx context.Context, path, name string) error {
	if d.csv && d.json || d.csv && d.npy || d.json && d.npy || (d.stats || d.scales) && (d.csv || d.npy) || d.stats && d.scales || d.scales && d.rows != nil {
		return run.Usagef("--csv, --json and --npy exclude each other, and so do --stats and --scales, which are only text or JSON; --scales is of all rows")
	}
	if d.npy && d.output == "" && terminal.Width(d.out) > 0 {
		return run.Usagef("--npy is no text; give a file with -o, or a pipe")
	}
	var err error
	if d.f, err = remote.OpenAny(ctx, path); err != nil {
		return err
	}
	defer d.f.Close()
	if err := d.choose(name); err != nil {
		return fmt.Errorf("%s: %w", gguf.Printable(d.f.Paths()[0]), err)
	}
	if d.output == "" {
		return d.write(ctx, d.out)
	}
	return outfile.Write(d.output, d.f.Paths(), func(w io.Writer) error { return d.write(ctx, w) })
}

// choose finds the tensor and settles which of its rows are meant.
func (d *dumper) choose(name string) error {
	t, ok := d.f.Tensor(name)
	if !ok {
		return fmt.Errorf("no tensor %q%s", name, similar(d.f, name))
	}
	d.t = t
	rows := 0
	if t.Dim(0) > 0 {
		rows = t.Elements() / t.Dim(0)
	}
	if t.Dim(0) > maxRow {
		return fmt.Errorf("tensor %q has rows of %d values, more than %d", name, t.Dim(0), maxRow)
	}
	table := !d.csv && !d.json && !d.npy && !d.stats && !d.scales
	switch {
	case d.rows == nil && table:
		d.rows = &rowRange{0, min(rows, headRows)}
	case d.rows == nil:
		d.rows = &rowRange{0, rows}
	case d.rows.from >= rows:
		return fmt.Errorf("tensor %q has %d rows, so there is no row %d", name, rows, d.rows.from)
	case d.rows.to < 0 || d.rows.to > rows:
		d.rows.to = rows
	}
	return nil
}

// similar names a tensor that has the name as a part of its own.
func similar(f *gguf.File, name string) string {
	for i := range f.Tensors {
		if strings.Contains(f.Tensors[i].Name, name) {
			return fmt.Sprintf(" (did you mean %s?)", gguf.Printable(f.Tensors[i].Name))
		}
	}
	return ""
}

func (d *dumper) write(ctx context.Context, out io.Writer) error {
	w := bufio.NewWriter(out)
	var err error
	switch {
	case d.scales:
		err = d.writeScales(ctx, w)
	case d.stats:
		err = d.writeStats(ctx, w)
	case d.csv:
		err = d.writeCSV(ctx, w)
	case d.json:
		err = d.writeJSON(ctx, w)
	case d.npy:
		err = d.writeNPY(ctx, w)
	default:
		err = d.writeTable(ctx, w)
	}
	if err != nil {
		return err
	}
	return w.Flush()
}

// each decodes the chosen rows, one after the other. values is gone after do.
func (d *dumper) each(ctx context.Context, do func(row int, values []float32) error) error {
	if d.rows.from == d.rows.to {
		return nil
	}
	raw, values := make([]byte, d.t.Type.RowBytes(d.t.Dim(0))), make([]float32, d.t.Dim(0))
	for row := d.rows.from; row < d.rows.to; row++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := d.f.ReadTensor(d.t, raw, int64(row)*int64(len(raw))); err != nil {
			return err
		}
		quant.Decode(d.t.Type, values, raw)
		if err := do(row, values); err != nil {
			return err
		}
	}
	return nil
}

// writeTable shows a few values of the beginning and the end of each row.
func (d *dumper) writeTable(ctx context.Context, w io.Writer) error {
	columns := shownColumns(d.t.Dim(0), terminal.Width(d.out))
	head := []table.Column{table.Right("row")}
	for _, c := range columns {
		name := "…"
		if c >= 0 {
			name = fmt.Sprint(c)
		}
		head = append(head, table.Right(name))
	}
	rows := [][]string{}
	err := d.each(ctx, func(row int, values []float32) error {
		cells := []string{fmt.Sprint(row)}
		for _, c := range columns {
			text := "…"
			if c >= 0 {
				text = fmt.Sprintf("%.5g", values[c])
			}
			cells = append(cells, text)
		}
		rows = append(rows, cells)
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, " %s: %s of %s\n\n", gguf.Printable(d.t.Name), table.Shape(d.t.Shape), d.t.Type)
	return table.Write(w, false, head, rows)
}

// shownColumns are the columns for which a line has room; -1 is the gap between the first and the last ones.
func shownColumns(n, width int) []int {
	if width == 0 {
		width = pipedWidth
	}
	room := max(3, (width-10)/13) // "-1.2346e-05" and blanks
	columns := []int{}
	for i := range n {
		switch {
		case n <= room || i < room-2 || i == n-1:
			columns = append(columns, i)
		case i == room-2:
			columns = append(columns, -1)
		}
	}
	return columns
}
