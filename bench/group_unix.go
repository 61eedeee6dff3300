//go:build unix

package bench

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a command the head of a group of processes, all of which end when it is cancelled.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
