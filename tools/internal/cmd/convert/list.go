package convert

import (
	"io"
	"strings"

	"github.com/llamakit/llamakit/formats/hf"
)

// listArchitectures prints what can be made, of what, and how it was checked.
func listArchitectures(w io.Writer) error {
	t := table(w)
	t.Header("architecture", "checked", "model classes")
	for _, a := range hf.Architectures() {
		how := "names"
		if a.RoundTrip {
			how = "round trip"
		}
		if err := t.Append(a.Name, how, strings.Join(a.Classes, " ")); err != nil {
			return err
		}
	}
	return t.Render()
}
