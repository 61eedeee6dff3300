// Package theme holds the styles of the terminal program, by meaning.
//
// Colours come from the terminal's own palette, and only those of it that can be read on light and on dark ground: so
// the program looks right with 16 colours and with millions, and needs not ask the terminal for its background. Without
// colours (NO_COLOR, TERM=dumb, no terminal) styles are plain.
package theme

import (
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Theme are the styles that views use.
type Theme struct {
	Colours bool // false: styles are plain

	Title, Status lipgloss.Style // first and last line of the screen
	Tab           lipgloss.Style // another view in the first line
	User, Model   lipgloss.Style // who speaks
	Faint         lipgloss.Style // reasoning, hints
	Error         lipgloss.Style
	Key           lipgloss.Style // a key in the help
}

// For is the theme for what a renderer says of its terminal; nil is standard output's.
func For(r *lipgloss.Renderer) Theme {
	if r == nil {
		r = lipgloss.DefaultRenderer()
	}
	colour := func(n string) lipgloss.Style { return r.NewStyle().Foreground(lipgloss.Color(n)) }
	return Theme{
		Colours: r.ColorProfile() != termenv.Ascii,
		Title:   r.NewStyle().Bold(true),
		Status:  r.NewStyle().Faint(true),
		Tab:     r.NewStyle().Faint(true),
		User:    colour("4").Bold(true),
		Model:   colour("2").Bold(true),
		Faint:   r.NewStyle().Faint(true),
		Error:   colour("1"),
		Key:     r.NewStyle().Bold(true),
	}
}

// Cursor shows the character under the cursor in reverse, also without colours: it would not be seen else.
func Cursor(s string) string { return "\x1b[7m" + s + "\x1b[27m" }
