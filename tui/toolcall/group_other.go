//go:build !unix

package toolcall

import "os/exec"

// ownGroup does nothing: the command alone is ended.
func ownGroup(*exec.Cmd) {}
