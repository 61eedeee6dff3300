//go:build unix

package tui

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// TestSuspendWithoutJobControl stops a process in a session of its own, where the signal is dropped: it must go on.
func TestSuspendWithoutJobControl(t *testing.T) {
	const child = "LLAMAKIT_TEST_SUSPEND"
	if os.Getenv(child) != "" {
		if err := newJobs().stop(); err != nil {
			t.Error(err)
		}
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestSuspendWithoutJobControl$")
	cmd.Env = append(os.Environ(), child+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestContinued sends what a shell sends when it brings a program back: the screen is entered and drawn anew.
func TestContinued(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, keyboard := io.Pipe()
	defer keyboard.Close()
	var screen locked
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, []View{&fake{name: "view"}}, tea.WithInput(in), tea.WithOutput(&screen))
	}()
	drawn := func(times int) {
		waitFor(t, func() bool { return strings.Count(screen.String(), "\x1b[?1049h") == times })
	}
	drawn(1)
	if err := syscall.Kill(os.Getpid(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	drawn(2)
	cancel()
	<-done
}
