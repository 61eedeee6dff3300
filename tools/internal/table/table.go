// Package table prints rows of text in columns, without lines around them, for people and for awk; or as Markdown.
package table

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Column is the heading of a column. Numbers stand at its right edge.
type Column struct {
	Name  string
	Right bool
}

// Left and Right make columns.
func Left(name string) Column  { return Column{name, false} }
func Right(name string) Column { return Column{name, true} }

// Write prints the rows under the columns. Cells must be printable. Rows are changed where Markdown needs an escape.
func Write(w io.Writer, markdown bool, columns []Column, rows [][]string) error {
	head, align := make([]string, len(columns)), make([]tw.Align, len(columns))
	for i, c := range columns {
		head[i], align[i] = c.Name, tw.AlignLeft
		if c.Right {
			align[i] = tw.AlignRight
		}
	}
	options := []tablewriter.Option{
		tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}),
	}
	if markdown {
		options = append(options, tablewriter.WithRenderer(renderer.NewMarkdown()))
		escapeBars(rows)
	} else {
		options = append(options, tablewriter.WithRendition(plain))
	}
	var b bytes.Buffer
	t := tablewriter.NewTable(&b, options...)
	t.Header(head)
	if err := t.Bulk(rows); err != nil {
		return err
	}
	if err := t.Render(); err != nil {
		return err
	}
	return writeTrimmed(w, b.Bytes())
}

// writeTrimmed leaves out the blanks at the ends of lines: one long cell would make every line as long.
func writeTrimmed(w io.Writer, text []byte) error {
	out := bufio.NewWriter(w)
	for line := range bytes.Lines(text) {
		out.Write(bytes.TrimRight(line, " \n"))
		out.WriteByte('\n')
	}
	return out.Flush()
}

var plain = tw.Rendition{Borders: tw.BorderNone,
	Settings: tw.Settings{Separators: tw.Separators{BetweenColumns: tw.Off}, Lines: tw.Lines{ShowHeaderLine: tw.Off}}}

func escapeBars(rows [][]string) {
	for _, row := range rows {
		for i := range row {
			row[i] = strings.ReplaceAll(row[i], "|", `\|`)
		}
	}
}

// Shape writes the dimensions of a tensor, ne[0] first: 4096x128.
func Shape(shape []int) string {
	parts := make([]string, len(shape))
	for i, d := range shape {
		parts[i] = strconv.Itoa(d)
	}
	return strings.Join(parts, "x")
}
