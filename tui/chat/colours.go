package chat

import (
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// colours says whether the terminal takes colours and NO_COLOR is not set.
func colours() bool { return lipgloss.ColorProfile() != termenv.Ascii }
