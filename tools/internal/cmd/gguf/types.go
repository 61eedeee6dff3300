package gguf

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/formats/gguf/remote"
	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tools/internal/cmd/quantize"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/table"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

func typesCommand() *cli.Command {
	var asJSON bool
	return &cli.Command{
		Name: "types", Usage: "say how large the file would be in each type of llama-quantize", ArgsUsage: "FILE",
		Flags: flags.Group("Output", flags.New("--json", "as JSON", flags.Switch(&asJSON))),
		Action: func(ctx context.Context, c *cli.Command) error {
			paths, err := operands(c, 1)
			if err != nil {
				return err
			}
			return listTypes(ctx, streamsOf(c), paths[0], asJSON)
		},
	}
}

func listTypes(ctx context.Context, s streams, path string, asJSON bool) error {
	f, err := remote.OpenAny(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	all, err := probe.InAllTypes(ctx, f, quantize.Forecast)
	if err != nil {
		return err
	}
	if asJSON {
		return asjson.Write(s.out, all)
	}
	columns := []table.Column{table.Left("type"), table.Right("MiB"), table.Right("bpw"), table.Right("of now"), table.Left("note")}
	rows := make([][]string, len(all))
	for i, r := range all {
		notes := r.Notes()
		if r.Again {
			notes = append(notes, "requantizes")
		}
		rows[i] = []string{r.Type, "-", "-", "-", strings.Join(notes, "; ")}
		if r.Error == "" {
			copy(rows[i][1:], []string{fmt.Sprintf("%.2f", float64(r.After)/(1<<20)), fmt.Sprintf("%.2f", r.BPW),
				fmt.Sprintf("%.0f%%", 100*float64(r.After)/float64(max(1, r.Before)))})
		}
	}
	return table.Write(s.out, false, columns, rows)
}
