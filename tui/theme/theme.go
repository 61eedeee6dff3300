// Package theme holds the colours of the terminal program. On a terminal without colours, and with NO_COLOR, styles are plain.
package theme

import "github.com/charmbracelet/lipgloss"

// Theme are the styles that views use, by meaning.
type Theme struct {
	Title  lipgloss.Style
	Status lipgloss.Style
	User   lipgloss.Style
	Model  lipgloss.Style
	Faint  lipgloss.Style // reasoning, hints
	Error  lipgloss.Style
	Key    lipgloss.Style
	Cursor lipgloss.Style

	Dark bool // the terminal's background is dark
}

// Default is the theme for the terminal's background.
func Default(dark bool) Theme {
	colour := func(light, onDark string) lipgloss.TerminalColor {
		if dark {
			return lipgloss.Color(onDark)
		}
		return lipgloss.Color(light)
	}
	return Theme{
		Title:  lipgloss.NewStyle().Bold(true),
		Status: lipgloss.NewStyle().Foreground(colour("8", "7")),
		User:   lipgloss.NewStyle().Bold(true).Foreground(colour("4", "12")),
		Model:  lipgloss.NewStyle().Bold(true).Foreground(colour("2", "10")),
		Faint:  lipgloss.NewStyle().Faint(true),
		Error:  lipgloss.NewStyle().Foreground(colour("1", "9")),
		Key:    lipgloss.NewStyle().Bold(true),
		Cursor: lipgloss.NewStyle().Reverse(true),
		Dark:   dark,
	}
}
