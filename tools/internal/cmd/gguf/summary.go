package gguf

import (
	"fmt"
	"io"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/outfile"
	"github.com/llamakit/llamakit/tools/internal/table"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

// printTypes prints how much of a file is of which type.
func printTypes(w io.Writer, s *probe.Summary) error {
	columns := []table.Column{table.Left("type"), table.Right("tensors"), table.Right("parameters"), table.Right("MiB"), table.Right("bpw")}
	rows := make([][]string, len(s.Types))
	for i, x := range s.Types {
		rows[i] = []string{x.Type, fmt.Sprint(x.Tensors), fmt.Sprint(x.Parameters), fmt.Sprintf("%.2f", float64(x.Bytes)/(1<<20)), fmt.Sprintf("%.2f", x.BPW)}
	}
	return table.Write(w, false, columns, rows)
}

// printSummary prints what a file comes to.
func printSummary(w io.Writer, s *probe.Summary) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, " %-11s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("file", "%s", gguf.Printable(s.Files[0].Path))
	if n := len(s.Files); n > 1 {
		line("shards", "%d", n)
	}
	line("format", "GGUF version %d, alignment %d", s.Version, s.Alignment)
	line("size", "%s", outfile.Size(s.Bytes))
	line("tensors", "%d", s.Tensors)
	if s.Parameters > 0 {
		line("parameters", "%s, %.2f bits per weight", probe.CountText(s.Parameters), s.BPW)
	}
	if s.KV.PerToken > 0 {
		line("kv cache", "%s", s.KV)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
