package gguf

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/gguf/remote"
	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tools/internal/table"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

func tokensCommand() *cli.Command {
	var asJSON bool
	return &cli.Command{
		Name: "tokens", Usage: "list or search the vocabulary", ArgsUsage: "FILE [TEXT | #ID | #FROM-TO | /REGEX/ | :TYPE [TEXT]]",
		Description: "TEXT is looked for in any case, a regular expression (Go's syntax) as it is; both in what a token stands for and in its\n" +
			"spelling in the file. Types are normal, unknown, control, user-defined, unused and byte; their beginning is enough.",
		Flags: flags.Group("Output", flags.New("--json", "as JSON", flags.Switch(&asJSON))),
		Action: func(ctx context.Context, c *cli.Command) error {
			args := c.Args().Slice()
			if len(args) == 0 {
				return run.Usagef("give a file")
			}
			return listTokens(ctx, streamsOf(c), args[0], strings.Join(args[1:], " "), asJSON)
		},
	}
}

func listTokens(ctx context.Context, s streams, path, query string, asJSON bool) error {
	f, err := remote.OpenAny(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	all, err := probe.ReadTokens(f.Metadata)
	if err != nil {
		return fmt.Errorf("%s: %w", gguf.Printable(path), err)
	}
	ids, err := all.Search(ctx, query)
	if err != nil {
		return run.Usagef("%s", gguf.Printable(err.Error()))
	}
	found := []probe.Token{}
	for _, id := range ids {
		found = append(found, all.Token(id))
	}
	if asJSON {
		return asjson.Write(s.out, found)
	}
	if len(found) == 0 {
		return fmt.Errorf("%s: no token matches %q", gguf.Printable(path), query)
	}
	return printTokens(s, all, found)
}

func printTokens(s streams, all *probe.Tokens, found []probe.Token) error {
	columns := []table.Column{table.Right("id"), table.Left("type"), table.Left("text"), table.Left("in the file")}
	if all.HasScores() {
		columns = append(columns, table.Right("score"))
	}
	rows := make([][]string, len(found))
	for i, t := range found {
		rows[i] = []string{fmt.Sprint(t.ID), t.Kind, "'" + gguf.Printable(t.Piece) + "'", gguf.Printable(t.Text)}
		if all.HasScores() {
			rows[i] = append(rows[i], fmt.Sprintf("%.6g", t.Score))
		}
	}
	return table.Write(s.out, false, columns, rows)
}
