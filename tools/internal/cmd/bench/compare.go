package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/bench"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tools/internal/table"
)

// comparison is what the command line of compare says.
type comparison struct {
	failSlower *float64 // a fraction
	json, md   bool
}

func compareCommand() *cli.Command {
	o := &comparison{}
	return &cli.Command{
		Name:      "compare",
		Usage:     "compare results with those of an earlier run",
		ArgsUsage: "OLD.json NEW.json...",
		Description: "Files are made with -o json or -o jsonl, by this program or by llama.cpp's. Each is compared with the first one.\n" +
			"A difference is told when p < 0.05 (Mann-Whitney U test), which needs 4 repetitions in both files.",
		Flags: flags.Group("Comparison",
			flags.New("--fail-slower PERCENT", "exit code 1 when a test is slower by more than that, such as 5%", flags.Func(o.setFailSlower)),
			flags.New("--json", "as JSON", flags.Switch(&o.json)),
			flags.New("--md", "as a Markdown table", flags.Switch(&o.md)),
		),
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Len() < 2 {
				return run.Usagef("give two files or more: OLD.json NEW.json")
			}
			return o.run(c.Root().Writer, c.Args().Slice())
		},
	}
}

func (o *comparison) setFailSlower(text string) error {
	x, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !(x >= 0 && x < 100) {
		return fmt.Errorf("%q is not a percentage such as 5%%", text)
	}
	x /= 100
	o.failSlower = &x
	return nil
}

func (o *comparison) run(w io.Writer, paths []string) error {
	var files []*bench.File
	for _, path := range paths {
		f, err := bench.Read(path)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	var pairs []*bench.Pair
	for _, f := range files[1:] {
		pairs = append(pairs, bench.Compare(files[0], f))
	}
	if err := o.print(w, pairs); err != nil {
		return err
	}
	return o.verdict(pairs)
}

func (o *comparison) print(w io.Writer, pairs []*bench.Pair) error {
	if o.json {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(pairs)
	}
	for i, p := range pairs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s -> %s\n\n", gguf.Printable(p.Old), gguf.Printable(p.New))
		if err := o.printPair(w, p); err != nil {
			return err
		}
	}
	return nil
}

func (o *comparison) printPair(w io.Writer, p *bench.Pair) error {
	if len(p.Rows) > 0 {
		if err := table.Write(w, o.md, heads, lines(p)); err != nil {
			return err
		}
	}
	for _, note := range []struct {
		text string
		list []string
	}{{"differs in all tests", p.Changed}, {"only in the old file", p.OnlyOld}, {"only in the new file", p.OnlyNew}} {
		if len(note.list) > 0 {
			fmt.Fprintf(w, "\n%s: %s\n", note.text, gguf.Printable(strings.Join(note.list, "; ")))
		}
	}
	return nil
}

var heads = []table.Column{table.Left("test"), table.Right("old t/s"), table.Right("new t/s"), table.Right("difference"), table.Left("95% interval"), table.Right("p"),
	table.Right("samples"), table.Left("")}

// lines are the tests, and their geometric mean.
func lines(p *bench.Pair) (rows [][]string) {
	for _, c := range p.Rows {
		rows = append(rows, []string{gguf.Printable(c.Test), fmt.Sprintf("%.2f", c.Old), fmt.Sprintf("%.2f", c.New), percent(c.Center), interval(c.Ratio),
			fmt.Sprintf("%.3f", c.P), fmt.Sprintf("%d, %d", c.OldCount, c.NewCount), string(c.Verdict)})
	}
	if len(rows) > 1 {
		rows = append(rows, []string{"geometric mean", "", "", percent(p.Mean), "", "", "", ""})
	}
	return rows
}

func percent(ratio float64) string { return fmt.Sprintf("%+.2f%%", 100*(ratio-1)) }

func interval(r bench.Ratio) string {
	if math.IsInf(float64(r.High), 0) {
		return ""
	}
	return percent(float64(r.Low)) + " to " + percent(float64(r.High))
}

// verdict is an error when there is nothing to compare, or when --fail-slower finds something.
func (o *comparison) verdict(pairs []*bench.Pair) error {
	for _, p := range pairs {
		if len(p.Rows) == 0 {
			return fmt.Errorf("%s and %s have no test in common", p.Old, p.New)
		}
	}
	if o.failSlower == nil {
		return nil
	}
	for _, p := range pairs {
		if slow := p.SlowerThan(*o.failSlower); len(slow) > 0 {
			return fmt.Errorf("%s: slower by more than %g%%: %d of %d tests, the worst %s with %s", p.New, *o.failSlower*100, len(slow), len(p.Rows), slow[0].Test, percent(slow[0].Center))
		}
	}
	return nil
}
