package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Writer prints results one after another. What it wrote is valid after Close, however many results there were.
type Writer interface {
	// Begin comes first.
	Begin() error
	// Write prints one result.
	Write(r *Result) error
	// Close ends the output; it does not close what is written to.
	Close() error
}

// Formats are the names that NewWriter knows.
var Formats = []string{"csv", "json", "jsonl", "md", "sql"}

// NewWriter returns a writer of a format, one of Formats. The rows that are to come say which columns a Markdown table
// needs; extra are the names of further columns that results will have, in their order.
func NewWriter(format string, w io.Writer, rows []Params, extra []string) Writer {
	switch format {
	case "csv":
		return &csvWriter{w, extra}
	case "json":
		return &jsonWriter{w: w}
	case "jsonl":
		return &linesWriter{w}
	case "sql":
		return &sqlWriter{w, extra}
	}
	return newMarkdown(w, rows, extra)
}

// object writes a result as a JSON object: a pair between before and after each, the samples last.
func object(r *Result, before, after string) string {
	var b strings.Builder
	pair := func(name, value string) { fmt.Fprintf(&b, "%s%s: %s%s", before, quote(name), value, after) }
	for i := range Fields {
		f := &Fields[i]
		pair(f.Name, f.json(r))
	}
	for _, x := range r.Extra {
		pair(x.Name, number(x.Value))
	}
	pair("samples_ns", number(r.Samples))
	pair("samples_ts", number(r.Speeds()))
	return "{" + strings.TrimSuffix(b.String(), ", ")
}

func (f *Field) json(r *Result) string {
	s := f.Text(r)
	switch f.Kind {
	case Text:
		return quote(s)
	case Boolean:
		return fmt.Sprint(s == "1")
	}
	return s
}

func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string has no reason to fail
	return strings.TrimSuffix(b.String(), "\n")
}

// number writes a value of Extra, or a list of samples.
func number(v any) string {
	switch v := v.(type) {
	case string:
		return quote(v)
	case float64, int64:
		if s := plain(v); s != "" {
			return s
		}
		return "null"
	}
	data, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(data)
}

type jsonWriter struct {
	w    io.Writer
	rows int
}

func (j *jsonWriter) Begin() error {
	_, err := io.WriteString(j.w, "[")
	return err
}

func (j *jsonWriter) Write(r *Result) error {
	comma := ","
	if j.rows == 0 {
		comma = ""
	}
	j.rows++
	body := strings.TrimSuffix(object(r, "    ", ",\n"), ",\n")
	_, err := fmt.Fprintf(j.w, "%s\n  {\n%s\n  }", comma, body[1:])
	return err
}

func (j *jsonWriter) Close() error {
	_, err := io.WriteString(j.w, "\n]\n")
	return err
}

type linesWriter struct{ w io.Writer }

func (*linesWriter) Begin() error { return nil }
func (*linesWriter) Close() error { return nil }

func (l *linesWriter) Write(r *Result) error {
	_, err := fmt.Fprintf(l.w, "%s}\n", object(r, "", ", "))
	return err
}

// columns are the names and texts of a result without lists.
func columns(r *Result, extra []string) (texts []string) {
	for i := range Fields {
		texts = append(texts, Fields[i].Text(r))
	}
	for _, name := range extra {
		texts = append(texts, r.extra(name))
	}
	return texts
}

func names(extra []string) (list []string) {
	for i := range Fields {
		list = append(list, Fields[i].Name)
	}
	return append(list, extra...)
}

// extra is the text of a further column, or nothing where the result does not have it.
func (r *Result) extra(name string) string {
	for _, x := range r.Extra {
		if x.Name == name {
			return plain(x.Value)
		}
	}
	return ""
}
