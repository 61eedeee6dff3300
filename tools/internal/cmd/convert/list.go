package convert

import (
	"io"
	"strings"

	"github.com/llamakit/llamakit/formats/hf"
	"github.com/llamakit/llamakit/tools/internal/table"
)

// listArchitectures prints what can be made, of what, and how it was checked.
func listArchitectures(w io.Writer) error {
	var rows [][]string
	for _, a := range hf.Architectures() {
		how, what := "names", strings.Join(a.Classes, " ")
		switch {
		case a.Why != "":
			how, what = "not made", a.Why
		case a.RoundTrip:
			how = "round trip"
		}
		rows = append(rows, []string{a.Name, how, what})
	}
	return table.Write(w, false, []table.Column{table.Left("architecture"), table.Left("checked"), table.Left("model classes")}, rows)
}
