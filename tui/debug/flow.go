package debug

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/lipgloss"

	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/printable"
)

// flow draws tokens as the text that they are, special ones and attempts told apart, line breaks shown.
func (v *View) flow(tokens []debug.Token, width int) []string {
	f := &cells.Flow{Width: max(width, 2)}
	for i := 0; i < len(tokens); {
		text, n := joined(tokens[i:])
		put(f, text, v.look(&tokens[i]))
		i += n
	}
	return f.Lines()
}

// joined is the text of the first token, or of the first few where they are one character only together.
func joined(tokens []debug.Token) (text string, n int) {
	var b []byte
	for n < len(tokens) && n < 4 && tokens[n].Bytes != nil {
		for _, c := range tokens[n].Bytes {
			b = append(b, byte(c))
		}
		if n++; utf8.Valid(b) {
			return string(b), n
		}
	}
	return visible(&tokens[0]), 1
}

// look is the style of a token in running text.
func (v *View) look(t *debug.Token) lipgloss.Style {
	switch {
	case t.User:
		return v.theme.Error.Underline(v.theme.Colours)
	case t.Special():
		return v.theme.User
	}
	return lipgloss.NewStyle()
}

// visible is the text of a token; bytes that are no text by themselves are in hexadecimal.
func visible(t *debug.Token) string {
	if t.Bytes == nil {
		return t.Text
	}
	var b strings.Builder
	for _, c := range t.Bytes {
		const hex = "0123456789abcdef"
		b.WriteString("<" + string(hex[c>>4]) + string(hex[c&15]) + ">")
	}
	return b.String()
}

// put adds text in a style, line breaks shown. What fits into a line is not broken.
func put(f *cells.Flow, text string, style lipgloss.Style) {
	for i, row := range strings.Split(text, "\n") {
		if i > 0 {
			f.Word("↵", func(s string) string { return style.Faint(true).Render(s) })
			f.EndLine()
		}
		f.Word(printable.Line(cells.ExpandTabs(row)), func(s string) string { return style.Render(s) })
	}
}
