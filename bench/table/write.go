package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/llamakit/llamakit/bench/section"
)

const head = "| | llama.cpp | llamakit | ratio (95% interval) | at least | aim | |\n|---|---:|---:|---:|---:|---:|---|\n"

// write prints lines, or puts them into the table of a document in place of those of the same names.
func (t *tester) write(lines []line) error {
	rows := map[string]string{}
	if t.update == "" {
		addRows(rows, markdown(lines))
		_, err := os.Stdout.WriteString(inOrder(rows))
		return err
	}
	table, err := section.Read(t.update, "table")
	if err != nil {
		return err
	}
	addRows(rows, table)
	addRows(rows, markdown(lines))
	return section.Write(t.update, "table", head+inOrder(rows))
}

// addRows adds the rows of a table by their names.
func addRows(rows map[string]string, table string) {
	for row := range strings.Lines(table) {
		if cells := strings.Split(row, " | "); len(cells) > 2 {
			rows[strings.TrimPrefix(cells[0], "| ")] = row
		}
	}
}

// inOrder puts rows in the order of the commands.
func inOrder(rows map[string]string) string {
	var b strings.Builder
	for _, c := range commands() {
		for _, t := range c.targets {
			b.WriteString(rows[t.name])
		}
	}
	return b.String()
}

// markdown are the rows of a table. A ratio is theirs to ours where less is better.
func markdown(lines []line) string {
	var b strings.Builder
	for _, r := range lines {
		verdict := "missed"
		switch {
		case r.ratio.Center >= r.aim:
			verdict = "aim reached"
		case r.ratio.Center >= r.least:
			verdict = "reached"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %gx | %gx | %s |\n", r.name, r.theirs, r.ours, r.ratio, r.least, r.aim, verdict)
	}
	return b.String()
}
