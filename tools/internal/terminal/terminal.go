// Package terminal says what a stream leads to.
package terminal

import (
	"os"

	"github.com/mattn/go-isatty"
	"golang.org/x/term"
)

// Is reports whether a stream is a terminal.
func Is(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// Draws reports whether a stream is a terminal on which lines can be drawn anew.
func Draws(stream any) bool { return Is(stream) && os.Getenv("TERM") != "dumb" }

// Colours reports whether a stream is a terminal that wants colours (https://no-color.org).
func Colours(stream any) bool { return Draws(stream) && os.Getenv("NO_COLOR") == "" }

// Width returns the columns of the terminal that a stream is; 0 when it is none.
func Width(stream any) int {
	if !Is(stream) {
		return 0
	}
	if n, _, err := term.GetSize(int(stream.(*os.File).Fd())); err == nil && n > 0 {
		return n
	}
	return 80
}
