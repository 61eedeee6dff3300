package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// begin and end are the lines round the table in a document.
const (
	begin = "<!-- table: begin -->\n"
	end   = "<!-- table: end -->\n"
)

// write prints the table, or puts it into a document.
func (t *tester) write(rows []line) error {
	text := markdown(rows)
	if t.update == "" {
		_, err := os.Stdout.WriteString(text)
		return err
	}
	data, err := os.ReadFile(t.update)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(data, []byte(begin))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return fmt.Errorf("%s: has no lines %q and %q for the table", t.update, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return os.WriteFile(t.update, []byte(string(before)+begin+"\n"+text+"\n"+end+string(after)), 0o644)
}

// markdown is the table. A ratio is theirs to ours where less is better.
func markdown(rows []line) string {
	var b strings.Builder
	b.WriteString("| | llama.cpp | llamakit | ratio (95% interval) | at least | aim | |\n|---|---:|---:|---:|---:|---:|---|\n")
	for _, r := range rows {
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
