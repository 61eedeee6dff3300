package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"github.com/llamakit/llamakit/tui/theme"
)

// Run shows views on the terminal until the program is left or ctx ends. Whatever happens, a panic of a view included,
// the views are closed and the screen is as it was before.
func Run(ctx context.Context, views ...View) error {
	s := New(theme.For(lipgloss.NewRenderer(os.Stdout)), views...)
	return s.run(ctx, tea.WithAltScreen())
}

// run is Run with a terminal of the caller's.
func (s *Shell) run(ctx context.Context, options ...tea.ProgramOption) error {
	p := tea.NewProgram(s, append(options, tea.WithContext(ctx), tea.WithoutSignalHandler())...)
	s.quit = p.Quit
	_, err := p.Run()
	for _, v := range s.views {
		v.Close()
	}
	switch {
	case s.crash != nil:
		return s.crash
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, tea.ErrProgramPanic):
		return fmt.Errorf("the terminal program failed: %w", err)
	}
	return err
}

// recovered keeps the first panic of a view, with its stack, as the program's error.
func (s *Shell) recovered(cause any) bool {
	if cause == nil {
		return false
	}
	if s.crash == nil {
		s.crash = fmt.Errorf("internal error: %v\n%s", cause, debug.Stack())
	}
	return true
}
