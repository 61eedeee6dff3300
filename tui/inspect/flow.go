package inspect

import (
	"fmt"
	"strings"
	"unicode/utf8"

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
	f := flowing{width: width, style: style}
	left := maxText
	for _, p := range pieces {
		text := p.text[:min(len(p.text), left)]
		left -= len(text)
		f.add(strings.ReplaceAll(printable.Text(text), "\t", " "), p.special) // columns are not a text's matter here
	}
	f.endLine()
	return f.lines
}

// flowing is a text on its way into lines.
type flowing struct {
	width int
	style func(string) string
	lines []string
	line  strings.Builder
	used  int // cells of line
}

func (f *flowing) add(text string, special bool) {
	begin := 0
	put := func(end int) {
		if run := text[begin:end]; special && run != "" {
			f.line.WriteString(f.style(run))
		} else {
			f.line.WriteString(run)
		}
		begin = end
	}
	for at := 0; at < len(text); {
		g, n := grapheme(text[at:])
		if g == "\n" || f.used+n > f.width {
			put(at)
			f.endLine()
		}
		if at += len(g); g == "\n" {
			begin = at
		}
		f.used += n
	}
	put(len(text))
}

func (f *flowing) endLine() {
	f.lines = append(f.lines, f.line.String())
	f.line.Reset()
	f.used = 0
}

// grapheme is the first one of a text and its width; a newline has none.
func grapheme(s string) (string, int) {
	switch {
	case s[0] == '\n':
		return s[:1], 0
	case s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf):
		return s[:1], 1
	}
	return cells.First(s)
}
