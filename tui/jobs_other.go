//go:build !unix

package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"
)

// jobs does nothing: there is no job control.
type jobs struct{}

func newJobs() jobs                              { return jobs{} }
func (jobs) option() tea.ProgramOption           { return func(*tea.Program) {} }
func (jobs) watch(context.Context, *tea.Program) {}
