//go:build unix

package tui

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// jobs lets a shell stop the program and bring it back. Bubbletea's own handling draws the screen anew after Ctrl-Z alone, not
// after a kill -STOP, and waits for SIGCONT without end: where no shell with job control is above, as in
// `tmux new-window llama gguf FILE`, SIGTSTP is dropped and the program would hang. (SIGTSTP cannot be caught for the
// cases in between: Go does not give it its default action back.)
type jobs struct{ continued chan os.Signal }

func newJobs() jobs {
	j := jobs{make(chan os.Signal, 1)}
	signal.Notify(j.continued, syscall.SIGCONT)
	return j
}

// option has jobs handle Ctrl-Z.
func (j jobs) option() tea.ProgramOption {
	return tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
		if _, ok := msg.(tea.SuspendMsg); ok {
			return tea.Exec(away{j.stop}, nil)()
		}
		return msg
	})
}

// watch draws the screen anew when the program goes on, until ctx ends: a shell used it in the meantime.
func (j jobs) watch(ctx context.Context, p *tea.Program) {
	defer signal.Stop(j.continued)
	for {
		select {
		case <-j.continued:
			p.Send(tea.Exec(away{func() error { return nil }}, nil)())
		case <-ctx.Done():
			return
		}
	}
}

// unstopped is how long nothing must happen to know that SIGTSTP was dropped. A process that is stopped by it does not get
// as far as waiting.
const unstopped = 100 * time.Millisecond

// stop stops the process group, and returns when it goes on. That watch takes notice too does no harm.
func (jobs) stop() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	select {
	case <-continued:
	case <-time.After(unstopped):
	}
	return nil
}

// away is a tea.ExecCommand: what happens while the terminal is the shell's.
type away struct{ do func() error }

func (a away) Run() error        { return a.do() }
func (away) SetStdin(io.Reader)  {}
func (away) SetStdout(io.Writer) {}
func (away) SetStderr(io.Writer) {}
