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

	Title  lipgloss.Style // first line of the screen
	Status lipgloss.Style // last line
	User   lipgloss.Style
	Model  lipgloss.Style
	Faint  lipgloss.Style // reasoning, hints
	Error  lipgloss.Style
	Key    lipgloss.Style

	Heat  []func(string) string // of a heat map, the coldest first; nil: without colours
	Scale [4]lipgloss.Style     // from what was expected to what surprises

	Cursor func(string) string // the character under the cursor
}

// Default is the theme for standard output. Only on a terminal (see Reverse) the cursor can be seen.
func Default() Theme {
	colour := func(n string) lipgloss.Style { return lipgloss.NewStyle().Foreground(lipgloss.Color(n)) }
	t := Theme{
		Colours: lipgloss.ColorProfile() != termenv.Ascii,
		Title:   lipgloss.NewStyle().Bold(true),
		Status:  lipgloss.NewStyle().Faint(true),
		User:    colour("4").Bold(true),
		Model:   colour("2").Bold(true),
		Faint:   lipgloss.NewStyle().Faint(true),
		Error:   colour("1"),
		Key:     lipgloss.NewStyle().Bold(true),
		Scale:   [4]lipgloss.Style{lipgloss.NewStyle(), colour("6"), colour("5"), colour("1").Bold(true)},
		Cursor:  func(s string) string { return s },
	}
	if t.Colours {
		for _, n := range []string{"4", "6", "2", "3", "1"} {
			t.Heat = append(t.Heat, func(s string) string { return colour(n).Render(s) })
		}
	}
	return t
}

// Reverse is a cursor for every terminal. It is no colour: NO_COLOR does not take it away.
func Reverse(s string) string { return "\x1b[7m" + s + "\x1b[27m" }

// Dim draws hints.
func (t *Theme) Dim(s string) string { return t.Faint.Render(s) }
