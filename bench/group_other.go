//go:build !unix

package bench

import "os/exec"

// ownGroup does nothing: the command alone is ended when it is cancelled.
func ownGroup(*exec.Cmd) {}
