package inspect

import (
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/printable"
)

// maxText is how much of a text is drawn: a file may have one of any length.
const maxText = 1 << 20

// shortened is the part of a text that is drawn, and how much more there is.
func shortened(text string) string {
	if len(text) <= maxText {
		return text
	}
	return fmt.Sprintf("%s\n… (%d more bytes)", strings.ToValidUTF8(text[:maxText], ""), len(text)-maxText)
}

// piece is a part of a text; special ones are control tokens.
type piece struct {
	text    string
	special bool
}

// flow breaks a text into lines of width cells, with the special pieces in a style.
func flow(pieces []piece, width int, style func(string) string) []string {
	f := cells.Flow{Width: width}
	left := maxText
	for _, p := range pieces {
		text := p.text[:min(len(p.text), left)]
		left -= len(text)
		look := func(s string) string { return s }
		if p.special {
			look = style
		}
		for i, row := range strings.Split(strings.ReplaceAll(printable.Text(text), "\t", " "), "\n") { // columns are not a text's matter here
			if i > 0 {
				f.EndLine()
			}
			f.Put(row, look)
		}
	}
	return f.Lines()
}
